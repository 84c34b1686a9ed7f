"""The values that a log, an export or an error may hold: JSON, of bounded size, without secrets.

Strings that look like keys, and strings known to be secret, are replaced in any text. The patterns are RE2's, so time
is linear in the text. They recognise the published formats of tokens and what follows a name such as `password:`; a
secret that looks like an ordinary word, with nothing before it that says so, cannot be recognised. It is better to
hide one word too many than to show one key. Numbers of cards and accounts are told by their check digits.
"""

import enum
import math
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import Any, Final

import re2

_GAP: Final = r"[ \x{a0}\x{202f}\t-]"
CARD: Final = (
    rf"(?:[2-6][0-9]{{12,18}}|[2-6][0-9]{{3}}(?:{_GAP}[0-9]{{4}}){{3}}(?:{_GAP}[0-9]{{3}})?"
    rf"|3[0-9]{{3}}{_GAP}[0-9]{{6}}{_GAP}[0-9]{{4,5}})"
)
ACCOUNT: Final = rf"(?i:[A-Z]{{2}}[0-9]{{2}}(?:{_GAP}?[A-Z0-9]{{4}}){{2,7}}(?:{_GAP}?[A-Z0-9]{{1,3}})?)"
_BEFORE: Final = r"(^|[^\pL\pN_+./#=-])"
_AFTER: Final = r"($|[^\pL\pN_./-]|[-./](?:$|[^\pL\pN]))"
_CARDS: Final = f"{_BEFORE}({CARD}){_AFTER}"
_ACCOUNTS: Final = f"{_BEFORE}({ACCOUNT})"
_ISSUERS: Final = {
    14: r"3(?:0[0-5]|[689])",
    15: r"3[47]",
    16: r"4|5[0-8]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|6(?:0|[2-9])",
    13: r"4",
    19: r"4|6[0-9]",
}
"""The first digits of card numbers, by the number's length."""
_COUNTRIES: Final = """
    NO15 BE16 DK18 FI18 FK18 FO18 GL18 NL18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 MN20 XK20 CH21 HR21 LI21 LV21
    BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 OM23 SO23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24
    SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28
    HN28 HU28 LB28 NI28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33
"""
_LENGTHS: Final = {entry[:2]: int(entry[2:]) for entry in _COUNTRIES.split()}
"""The lengths of account numbers, by country."""


@cache
def _compiled(pattern: str) -> Any:
    """Return a pattern, compiled when a text first needs it: to compile all would take a fiftieth of a start."""
    return re2.compile(pattern)


def _hide_account_numbers(text: str) -> str:
    """Return the text with `[REDACTED]` for each number of a card and of an account (IBAN)."""

    def without_account(found: Any) -> str:
        before, number = found.groups()
        length = _length_of_account(number)
        return f"{before}{REDACTED}{number[length:]}" if length else str(found[0])

    def without_card(found: Any) -> str:
        before, number, after = found.groups()
        return f"{before}{REDACTED}{after}" if _is_card(number) else str(found[0])

    return str(_compiled(_CARDS).sub(without_card, _compiled(_ACCOUNTS).sub(without_account, text)))


def _is_card(number: str) -> bool:
    digits = "".join(filter(str.isdigit, number))
    issuers = _ISSUERS.get(len(digits))
    return issuers is not None and _compiled(issuers).match(digits) is not None and _passes_luhn(digits)


def _length_of_account(text: str) -> int:
    """Return how many characters of a text are the number of an account; 0: none. Words may follow it."""
    length = _LENGTHS.get(text[:2].upper())
    places = [at for at, character in enumerate(text) if character.isalnum()]
    if length is None or len(places) < length:
        return 0
    end = places[length - 1] + 1
    plain = "".join(text[at] for at in places[:length]).upper()
    goes_on = text[end : end + 2].lstrip("-")[:1].isalnum()  # as the identifiers do that have hyphens
    return end if not goes_on and int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1 else 0


def _passes_luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


_PART: Final = r"[A-Za-z0-9._~+/=-]"
_BREAK: Final = r"[ \t]*\\?\r?\n[ \t>|]*"
BEGINNINGS: Final = (
    r"sk-|(?:sk|rk|pk|whsec)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AIza|hf_|npm_|pypi-|A[KSBC][IC]A|SG\.|eyJ|"
    r"vb_[0-9a-f]"
)
_DIVIDED: Final = rf"((?:^|[^A-Za-z0-9_-])(?:{BEGINNINGS}){_PART}*)((?:{_BREAK}{_PART}{{4,}})+)"
_PAIR: Final = rf"(^|[^A-Za-z0-9/+=_.-])([A-Za-z0-9/+]{{8,36}})({_BREAK})([A-Za-z0-9/+]{{4,32}})([^A-Za-z0-9/+=_-]|$)"
_LINE: Final = rf"({_BREAK})({_PART}+)"
_LEAST_CHANGES_OF_KIND: Final = 3
"""Changes between small letters, capitals and digits in what may be the rest of a key; ordinary words have fewer."""


def _hide_divided_keys(text: str) -> str:
    """Return the text with `[REDACTED]` for each key that goes on in the lines after."""

    def joined(found: Any) -> str:
        head, rest = found[1], found[2]
        whole, used = head, 0
        for line in _compiled(_LINE).finditer(rest):
            if not is_mixed(line[2]):
                break
            whole, used = whole + line[2], line.end()
        hidden = _hide_keys(whole)
        is_one = used and hidden != whole and hidden.endswith(REDACTED)
        return f"{hidden}{rest[used:]}" if is_one else str(found[0])

    def paired(found: Any) -> str:
        before, first, _break, second, after = found.groups()
        is_one = is_mixed(first) and is_mixed(second) and _hide_keys(first + second) == REDACTED
        return f"{before}{REDACTED}{after}" if is_one else str(found[0])

    return str(_compiled(_PAIR).sub(paired, _compiled(_DIVIDED).sub(joined, text)))


def is_mixed(word: str) -> bool:
    """Return whether letters of both cases and digits change in a word as often as they do in what is random."""
    kinds = [(one.isdigit(), one.isupper(), one.islower()) for one in word]
    return sum(first != second for first, second in pairwise(kinds)) >= _LEAST_CHANGES_OF_KIND


REDACTED = "[REDACTED]"

SENSITIVE_WORDS = (
    *("apikey", "accesskey", "secretkey", "privatekey", "signingkey", "sessionkey", "masterkey", "encryptionkey"),
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "credential", "token", "jwt", "bearer"),
    *("authorization", "cookie", "passwort", "kennwort", "motdepasse", "contraseña", "wachtwoord", "hasło", "пароль"),
    *("lösenord", "passord", "密码", "密碼", "パスワード", "비밀번호"),
)
"""The endings of secret members' names, in one or several, without case and separators: `X-Api-Key`, `tokens`."""

_PASSWORDS = (
    r"passw(?:or)?ds?|pass[ -]?phrases?|pass[ -]?codes?|pwd|(?:seed|recovery|secret)[ -](?:phrase|words)|mnemonic"
)
PASSWORD_WORDS = (
    *("passwort", "passwörter", "kennwort", "kennwörter", "mot de passe", "mots de passe", "contraseña", "contraseñas"),
    *("senha", "senhas", "palavra-passe", "wachtwoord", "wachtwoorden", "hasło", "hasła", "heslo", "jelszó", "parolă"),
    *("lösenord", "passord", "adgangskode", "salasana", "şifre", "пароль", "пароли", "κωδικός πρόσβασης", "סיסמה"),
    *("كلمة المرور", "كلمة السر", "pw", "p/w", "psw", "pswd", "parola d'ordine", "lozinka", "geslo", "slaptažodis"),
    *("salasõna", "mật khẩu", "kata sandi", "palavra passe", "phrase secrète", "phrase de passe"),
    *("frase secreta", "frase de contraseña", "frase-passe", "wachtzin", "wachtwoordzin", "lösenfras", "passordfrase"),
    *("adgangssætning", "tunnuslause", "passphrase", "парольная фраза", "кодовая фраза", "φράση πρόσβασης"),
)
"""\"Password\" and \"passphrase\" in languages with spaces between words, and how they are shortened. Not Italian,
which says \"password\", and no \"word\", which is anything."""
PASSWORD_SIGNS = ("密码", "密碼", "口令", "パスワード", "パスフレーズ", "비밀번호", "암호", "助记词", "รหัสผ่าน")
"""The same in Chinese, Japanese and Korean, where any letter may stand before it."""
_FOREIGN = rf"(?:(?:^|[^\pL])(?:{'|'.join(PASSWORD_WORDS)})|{'|'.join(PASSWORD_SIGNS)})"
_KEYS = (
    r"(?:api|access|secret|private|signing|session|master|encryption)[ _-]?keys?|"
    r"tokens?|jwt|secrets?|credentials?|cookies?"
)
_SPACE = r"[\s\x{a0}\x{202f}\x{3000}]*"
_IS = rf"\\*[\"']?{_SPACE}[:=\x{{ff1a}}\x{{ff1d}}]{_SPACE}\\*"
_QUOTED = r"\"[^\"\r\n]*\"?|'[^'\r\n]*'?"

_SECRETS: Final = (
    # A PEM private key, to its end or to the end of what we were given.
    (r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)", REDACTED),
    # A header: everything after its name.
    (rf"(?i)(\b(?:proxy-)?authorization{_IS}[\"']?)[^\"'\r\n]+", rf"\1{REDACTED}"),
    (r"(?i)(\bbearer[\s.]+)[A-Za-z0-9._~+/=-]{16,}", rf"\1{REDACTED}"),
    # Our own: the token of a client.
    (r"\bvb_[0-9a-f]{12}_[A-Za-z0-9_-]{16,}", REDACTED),
    # OpenAI, Anthropic, OpenRouter; Stripe; GitHub; GitLab; Slack; Google; Hugging Face; npm; PyPI; AWS.
    (r"\bsk-[A-Za-z0-9_-]{16,}", REDACTED),
    (r"\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}", REDACTED),
    (r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})", REDACTED),
    (r"\bxox[a-z]-[A-Za-z0-9-]{10,}", REDACTED),
    (r"\bAIza[A-Za-z0-9_-]{30,}", REDACTED),
    (r"\b(?:hf|npm)_[A-Za-z0-9]{20,}", REDACTED),
    (r"\bpypi-[A-Za-z0-9_-]{16,}", REDACTED),
    (r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", REDACTED),
    # SendGrid; Twilio; the bots of Discord and of Telegram; what a webhook's address ends with; Azure Storage.
    (r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", REDACTED),
    (r"\bSK[0-9a-f]{32}\b", REDACTED),
    (r"\b[MNO][A-Za-z0-9_-]{22,30}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}", REDACTED),
    (r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}", REDACTED),
    (r"(\bhooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]+", rf"\1{REDACTED}"),
    (r"(\bdiscord(?:app)?\.com/api/webhooks/)[A-Za-z0-9/_-]+", rf"\1{REDACTED}"),
    (r"(?i)(\bAccountKey\s*=\s*)[A-Za-z0-9+/=]{16,}", rf"\1{REDACTED}"),
    # A JSON Web Token.
    (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?", REDACTED),
    # The user and password of a URL, and the key in its query.
    (r"(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#]+@", rf"\1{REDACTED}@"),
    (r"(?i)([?&](?:key|sig|signature|code)=)[^\s&#\"']+", rf"\1{REDACTED}"),
    # A name that says so, and its value: quoted as a whole, else to the end of the word; passwords may have spaces.
    (rf"(?i)((?:{_PASSWORDS}){_IS})(?:{_QUOTED}|[^\r\n\"',;&]+)", rf"\1{REDACTED}"),
    (rf"(?i)({_FOREIGN}{_IS})(?:{_QUOTED}|[^\r\n\"',;&]+)", rf"\1{REDACTED}"),
    (rf"(?i)((?:{_KEYS}){_IS})(?:{_QUOTED}|[^\s\"',;&]+)", rf"\1{REDACTED}"),
    (r"(?i)((?:^|[^\pL])pass[ \t]*=[ \t]*)[^\s\"',;&]+", rf"\1{REDACTED}"),
    (
        rf"(?i)((?:^|[^\pL])(?:pin|cvv2?|cvc2?|puk|tan)(?:[ -]?(?:code|nr|no|number))?{_IS}[\"']?)[0-9]{{3,12}}\b",
        rf"\1{REDACTED}",
    ),
)
_MIXED_WORD = r"(^|[^A-Za-z0-9/+=_.-])([A-Za-z0-9/+]{40})([^A-Za-z0-9/+=_.-]|$|\.(?:\s|$))"
_LEAST_CHANGES = 16
"""Changes between small letters, capitals, digits and signs in a random text of 40; words and paths have fewer."""
_ANY = "|".join(f"(?:{pattern})" for pattern in (*(pattern for pattern, _ in _SECRETS), _MIXED_WORD, CARD, ACCOUNT))
"""Says in one pass that there is nothing to do, as there mostly is."""

_SHORTEST_KEY = len("4222222222222")
_SEPARATORS = frozenset(":=@\uff1a\uff1d")
"""Without one of these, a text shorter than the shortest key matches no pattern; most names and values are such."""


class Secrets:
    """Known secrets that no log, error or export may hold, such as the tokens of this run."""

    def __init__(self) -> None:
        self._known: tuple[str, ...] = ()

    def add(self, secret: str) -> None:
        """Hide a secret from now on.

        Args:
            secret: The secret; an empty one is ignored.
        """
        if secret and secret not in self._known:
            # Longest first, so that a secret that is part of another leaves nothing of it.
            self._known = tuple(sorted((*self._known, secret), key=len, reverse=True))

    def hide(self, text: str) -> str:
        """Return the text without the secrets we know.

        Args:
            text: Any text.
        """
        for secret in self._known:
            text = text.replace(secret, REDACTED)
        return text


@lru_cache(maxsize=1024)
def is_sensitive(name: str, also: frozenset[str] = frozenset()) -> bool:
    """Return whether a member of this name holds a secret.

    Args:
        name: As it is written, in any case and with any separators.
        also: Further names, in any case and with any separators.
    """
    plain = _plain(name)
    ends = plain.endswith(SENSITIVE_WORDS) or plain.removesuffix("s").endswith(SENSITIVE_WORDS)
    return ends or plain in {_plain(other) for other in also}


def hide_secrets(text: str, known: Secrets | None = None) -> str:
    """Return the text with everything that looks like a key, or is known to be one, replaced by `[REDACTED]`.

    Args:
        text: Valid Unicode, without lone surrogates.
        known: Secrets of our own.
    """
    if known is not None:
        text = known.hide(text)
    if len(text) < _SHORTEST_KEY and _SEPARATORS.isdisjoint(text):
        return text
    if "\n" in text:
        text = _hide_divided_keys(text)
    if _compiled(_ANY).search(text) is None:
        return text
    return _hide_keys(_hide_account_numbers(text))


def _hide_keys(text: str) -> str:
    for pattern, replacement in _SECRETS:
        text = _compiled(pattern).sub(replacement, text)
    return str(_compiled(_MIXED_WORD).sub(_without_secret, text))


def _without_secret(found: Any) -> str:
    """Return a word of 40 characters, hidden if it is as mixed as an AWS secret: those have nothing that marks them."""
    before, word, after = found.groups()
    kinds = [(one.isdigit(), one.isupper(), one.islower()) for one in word]
    changes = sum(first != second for first, second in pairwise(kinds))
    mixed = changes >= _LEAST_CHANGES and all(map(any, zip(*kinds, strict=True)))
    return f"{before}{REDACTED}{after}" if mixed else str(found[0])


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


MAX_TEXT = 2_000
"""Characters of one string."""
MAX_DEPTH = 12
"""Containers inside containers."""
MAX_MEMBERS = 200
"""Members of one object or array."""
MAX_VALUES = 5_000
"""Values of the whole."""
MAX_CHARACTERS = 40_000
"""Characters of the whole that are searched for secrets; strings after them are only measured."""

_SCANNED = 8_192
"""Characters past the cut that are searched too: a key may begin before the cut and end after it."""
_LONGEST_NAME = 64
"""Characters at the end of a member's name that say whether it is sensitive; names are remembered, so not whole."""
_SAFE_INTEGER = 2**63
"""Integers from here on are written as text: not every JSON reader can hold them."""


def redact(value: Any, sensitive: frozenset[str] = frozenset(), secrets: Secrets | None = None) -> Any:
    """Return a copy that may be logged.

    Members with sensitive names and key-like strings become `[REDACTED]`; long strings, deep and large structures are
    cut, with a note that says so; what is not JSON is named by its type.

    Args:
        value: Anything.
        sensitive: Names of members whose values are secret, besides the usual ones; case and separators do not count.
        secrets: Secrets of our own.
    """
    return _Redaction(sensitive, secrets).value(value, MAX_DEPTH)


def redact_text(text: str, secrets: Secrets | None = None) -> str:
    """Return the text without secrets and lone surrogates, cut after 2,000 characters with a note of its length.

    Args:
        text: Any text.
        secrets: Secrets of our own.
    """
    if len(text) <= MAX_TEXT:
        return hide_secrets(_valid(text), secrets)
    shown = hide_secrets(_valid(text[: MAX_TEXT + _SCANNED]), secrets)
    if len(text) > MAX_TEXT + _SCANNED:
        # What was searched may end with the beginning of a key, too short to be recognised.
        shown = shown[:-MAX_TEXT]
    return f"{shown[:MAX_TEXT]}… [{len(text):,} characters]"


class _Redaction:
    """One walk over a value, with what is left of its budget."""

    def __init__(self, sensitive: frozenset[str], secrets: Secrets | None) -> None:
        self._sensitive = sensitive
        self._secrets = secrets
        self._values = MAX_VALUES
        self._characters = MAX_CHARACTERS

    def value(self, value: Any, depth: int) -> Any:
        """Return the value as JSON may hold it."""
        self._values -= 1
        if isinstance(value, enum.Enum):
            value = value.value
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self._sequence(value, len(value), depth)
        if isinstance(value, str):
            return self._text(value)
        return _scalar(value)

    def _text(self, text: str) -> str:
        if self._characters <= 0:
            return f"[{len(text):,} characters]"
        self._characters -= min(len(text), MAX_TEXT + _SCANNED)
        return redact_text(text, self._secrets)

    def _mapping(self, members: Mapping[Any, Any], depth: int) -> Any:
        if depth == 0 or self._values <= 0:
            return f"[{len(members):,} members]"
        kept: dict[str, Any] = {}
        for key, member in islice(members.items(), MAX_MEMBERS):
            name = key if isinstance(key, str) else str(_scalar(key))
            secret = is_sensitive(name[-_LONGEST_NAME:], self._sensitive)
            kept[self._text(name)] = REDACTED if secret else self.value(member, depth - 1)
        if len(members) > MAX_MEMBERS:
            kept["…"] = f"[{len(members) - MAX_MEMBERS:,} more members]"
        return kept

    def _sequence(self, items: Iterable[Any], count: int, depth: int) -> Any:
        if depth == 0 or self._values <= 0:
            return f"[{count:,} items]"
        kept = [self.value(item, depth - 1) for item in islice(items, MAX_MEMBERS)]
        if count > MAX_MEMBERS:
            kept.append(f"[{count - MAX_MEMBERS:,} more items]")
        return kept


def _scalar(value: Any) -> Any:
    """Return what may be shown of a value that is neither text nor a container."""
    shown: Any
    match value:
        case None | bool():
            shown = value
        case int() if abs(value) >= _SAFE_INTEGER:
            shown = f"[integer of {value.bit_length()} bits]"
        case int():
            shown = int(value) if _hide_account_numbers(str(value)) != REDACTED else REDACTED
        case float():
            shown = float(value) if math.isfinite(value) else str(float(value))
        case bytes() | bytearray() | memoryview():
            shown = f"[{len(value):,} bytes]"
        case date():
            shown = value.isoformat()
        case _:
            shown = f"[{type(value).__name__}]"
    return shown


def _valid(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot hold, as escapes; of a subclass, a plain string."""
    text = text[:]
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
