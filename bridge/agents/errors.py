"""What stands in the way of connecting a program. Each message is for the person, who may see paths."""

from bridge.errors import InvalidParameters


class ConfigurationRefused(InvalidParameters):
    """A configuration file is not changed; the message says why, and where in the file."""
