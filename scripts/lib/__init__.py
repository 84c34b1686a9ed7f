"""The scripts' shared parts. Everything outside the environment is standard library, and runs on Python 3.8 too."""
