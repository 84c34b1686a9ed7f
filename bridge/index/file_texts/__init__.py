"""The texts of the vault's PDF files and pictures: read in the background, kept, and found by searches."""
