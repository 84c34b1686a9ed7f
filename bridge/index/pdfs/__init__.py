"""The texts of the vault's PDF files: read in the background, kept, and found by searches."""
