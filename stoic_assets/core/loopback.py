"""Which host names are this machine: this decides where setups may write and which requests bypass a proxy."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether `host` (a name in lower case or an address, without brackets and port) is this machine.

    `localhost` and its subdomains always are (RFC 6761 §6.3); so are 0.0.0.0 and ::, which connect locally.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified
