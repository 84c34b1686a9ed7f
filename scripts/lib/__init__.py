"""What the scripts share. Everything outside the environment is standard library only, and runs on Python 3.8 too."""
