"""Room for connections: each needs a file descriptor, and a process has few of them at first."""

from dataclasses import replace

from likely.server.options import ServerOptions

# Beside connections there are files; connections that come at once are taken before they are ended.
_OTHERS, _AT_ONCE = 256, 2048
# Those over the limit are told so: there may be as many of them.
_EACH = 2
_FEWEST = 16


def with_room(options: ServerOptions) -> ServerOptions:
    """The options, with fewer connections if the system does not give that many descriptors."""
    try:
        import resource
    except ImportError:  # Windows sets no such limit.
        return options
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _EACH * options.connections + _AT_ONCE + _OTHERS
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return options
    given = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(given, soft), hard))
    fitting = max((max(given, soft) - _OTHERS) // _EACH, _FEWEST)
    return replace(options, connections=min(options.connections, fitting))
