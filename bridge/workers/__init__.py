"""Work that must be killable: processes of our own, asked over a pipe, kept warm, ended at a deadline."""
