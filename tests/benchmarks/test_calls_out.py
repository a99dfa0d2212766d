"""The reading of strace's lines; evaluating under it is the benchmark's business."""

from benchmarks.calls_out import addresses

TRACE = """\
11 connect(7, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.7")}, 16) = -1 EINPROGRESS
11 connect(8, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT
12 sendto(9, "\\1", 28, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.2")}, 16) = 28
13 bind(5, {sa_family=AF_INET6, sin6_port=htons(0), inet_pton(AF_INET6, "::ffff:127.0.0.1", &sin6_addr)}, 28) = 0
13 getsockname(5, {sa_family=AF_INET6, sin6_port=htons(4711), inet_pton(AF_INET6, "::ffff:127.0.0.1", &sin6_addr)}) = 0
14 getsockname(6, {sa_family=AF_INET, sin_port=htons(999), sin_addr=inet_addr("127.0.0.1")}, [16]) = 0
11 connect(7, {sa_family=AF_INET6, sin6_port=htons(4711), inet_pton(AF_INET6, "::ffff:127.0.0.1", &sin6_addr)}, 28) = 0
"""


def test_every_call_out_is_seen_and_every_port_that_was_opened() -> None:
    called, opened = addresses(TRACE)
    assert called == {"192.0.2.7:443": 1, "10.0.0.2:53": 1, "127.0.0.1:4711": 1}
    assert opened == {"4711"}
