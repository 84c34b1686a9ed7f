"""Strings that look like keys, and strings we know to be secret: found in any text and replaced.

Patterns are RE2, so time is linear in the text whatever the text is. They recognise the published formats of tokens
and what stands after a name such as `password:`; a secret that looks like an ordinary word, with nothing before it
that says so, cannot be told from one. Better one word too many than one key too few.
"""

from functools import lru_cache

import re2

REDACTED = "[REDACTED]"

SENSITIVE_WORDS = (
    *("apikey", "accesskey", "secretkey", "privatekey", "signingkey", "sessionkey", "masterkey", "encryptionkey"),
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "credential", "token", "jwt", "bearer"),
    *("authorization", "cookie"),
)
"""What the names of secret members end with, in one or several, without case and separators: `X-Api-Key`, `tokens`."""

_PASSWORDS = r"passw(?:or)?ds?|passphrases?|passcodes?|pwd"
_KEYS = (
    r"(?:api|access|secret|private|signing|session|master|encryption)[ _-]?keys?|"
    r"tokens?|jwt|secrets?|credentials?|cookies?"
)
_IS = r"\\*[\"']?\s*[:=]\s*\\*"
_QUOTED = r"\"[^\"\r\n]*\"?|'[^'\r\n]*'?"

_PATTERNS = tuple(
    (re2.compile(pattern), replacement)
    for pattern, replacement in (
        # A PEM private key, to its end or to the end of what we were given.
        (r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)", REDACTED),
        # A header: everything after its name.
        (rf"(?i)(\b(?:proxy-)?authorization{_IS}[\"']?)[^\"'\r\n]+", rf"\1{REDACTED}"),
        (r"(?i)(\bbearer[\s.]+)[A-Za-z0-9._~+/=-]{16,}", rf"\1{REDACTED}"),
        # OpenAI, Anthropic, OpenRouter; Stripe; GitHub; GitLab; Slack; Google; Hugging Face; npm; PyPI; AWS.
        (r"\bsk-[A-Za-z0-9_-]{16,}", REDACTED),
        (r"\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}", REDACTED),
        (r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})", REDACTED),
        (r"\bxox[a-z]-[A-Za-z0-9-]{10,}", REDACTED),
        (r"\bAIza[A-Za-z0-9_-]{30,}", REDACTED),
        (r"\b(?:hf|npm)_[A-Za-z0-9]{20,}", REDACTED),
        (r"\bpypi-[A-Za-z0-9_-]{16,}", REDACTED),
        (r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", REDACTED),
        # A JSON Web Token.
        (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?", REDACTED),
        # The user and password of a URL, and the key in its query.
        (r"(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#]+@", rf"\1{REDACTED}@"),
        (r"(?i)([?&](?:key|sig|signature|code)=)[^\s&#\"']+", rf"\1{REDACTED}"),
        # A name that says so, and its value: quoted as a whole, else to the end of the word; passwords may have spaces.
        (rf"(?i)((?:{_PASSWORDS}){_IS})(?:{_QUOTED}|[^\r\n\"',;&]+)", rf"\1{REDACTED}"),
        (rf"(?i)((?:{_KEYS}){_IS})(?:{_QUOTED}|[^\s\"',;&]+)", rf"\1{REDACTED}"),
    )
)
_ANY = re2.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in _PATTERNS))
"""Says in one pass that there is nothing to do, as there mostly is."""

_SHORTEST_KEY = len("xoxb-0123456789")
_SEPARATORS = frozenset(":=@")
"""Without one of these, a text shorter than the shortest key matches no pattern; most names and values are such."""


class Secrets:
    """Secrets of our own that no log, error or export may hold, such as the tokens of this run."""

    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()

    def add(self, secret: str) -> None:
        """Never show `secret` from now on. An empty one is ignored."""
        if secret:
            self._known |= {secret}

    def hide(self, text: str) -> str:
        """The text without the secrets we know."""
        # Longest first, so that a secret that is part of another leaves nothing of it.
        for secret in sorted(self._known, key=len, reverse=True):
            text = text.replace(secret, REDACTED)
        return text


@lru_cache(maxsize=1024)
def is_sensitive(name: str, also: frozenset[str] = frozenset()) -> bool:
    """Whether a member of this name holds a secret.

    Args:
        name: As it is written, in any case and with any separators.
        also: Further names, in any case and with any separators.
    """
    plain = _plain(name)
    ends = plain.endswith(SENSITIVE_WORDS) or plain.removesuffix("s").endswith(SENSITIVE_WORDS)
    return ends or plain in {_plain(other) for other in also}


def hide_secrets(text: str, known: Secrets | None = None) -> str:
    """The text with everything that looks like a key, or is known to be one, replaced by `[REDACTED]`.

    Args:
        text: Valid Unicode, without lone surrogates.
        known: Secrets of our own.
    """
    if known is not None:
        text = known.hide(text)
    if len(text) < _SHORTEST_KEY and _SEPARATORS.isdisjoint(text):
        return text
    if _ANY.search(text) is None:
        return text
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
