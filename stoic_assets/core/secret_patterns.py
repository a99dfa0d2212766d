"""The patterns of secrets that are known without any setting."""

BUILT_IN = (
    r"sk-[A-Za-z0-9_-]{16,}",
    r"(?i)bearer\s+[A-Za-z0-9._~+/-]{16,}=*",
    r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)",
    # After a bare colon, as in "your password: open Settings", an ordinary word is no secret. Without a bound
    # on this search, 50 kB of "password:password:…" take 2 s, and 1 MB a quarter of an hour.
    r'''(?i)pass(?:word|wd|phrase)(?:["']?\s*=\s*["']?|["']\s*:\s*["']?|\s*:\s*["'])[^\s"',;]{4,}''',
    r'''(?i)pass(?:word|wd|phrase)\s*:\s*(?=[^\s"',;]{0,64}[\d@#$%^&_+~])[^\s"',;]{4,}''',
)
"""API keys of OpenAI's form, bearer tokens, passwords in addresses, and words after the word password."""
