"""Start a server, and end it: signals, reloading, one process or several that share the model."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Coroutine
from contextlib import nullcontext, suppress
from typing import Any

from likely.errors import LikelyError, OptionError
from likely.server import workers
from likely.server.fixed import FixedModel
from likely.server.guard import Guard
from likely.server.http import Routes
from likely.server.living import LivingModel
from likely.server.options import ServerOptions
from likely.server.service import Service

_LOOK_SECONDS = 1.0
_GRACE_SECONDS = 10
_IDLE_SECONDS = 15

_LEARNS = "%s is not read again on SIGHUP: it changes only by what it learns and forgets"
_log = logging.getLogger("likely.serve")


def listen(options: ServerOptions) -> socket.socket:
    """The socket that is asked; refused off this machine without a token."""
    if not options.is_loopback and options.token is None:
        raise OptionError(
            f"on {options.host} others can reach this server, so it needs a token\n"
            "hint: `--token` names a file that holds one"
        )
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Head and body of an answer are written apart; they are not to wait for each other.
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        found.bind((options.host, options.port))
        found.listen(1024)
    except OSError as error:
        found.close()
        raise OptionError(
            f"{options.host}:{options.port} cannot be listened on: {error.strerror}"
        ) from None
    found.setblocking(False)
    return found


def serve(
    model: FixedModel | LivingModel,
    options: ServerOptions,
    listening: socket.socket,
    more: Routes | None = None,
) -> None:
    """Answer requests until SIGTERM or SIGINT; with `more`, a page, until its terminal closes."""
    service = Service(model, options, more)
    if options.workers == 1 or isinstance(model, LivingModel):
        _run(_serve(service, listening))
        return

    # Imported before there are workers, so that they share it.
    import likely.server.connection  # noqa: F401

    supervisor = os.getpid()

    def answer(worker: int) -> None:
        service.metrics.of_worker(worker)
        _run(_serve(service, listening, supervisor))

    workers.run(model, options.workers, listening, answer)


def _run(serving: Coroutine[Any, Any, None]) -> None:
    """Run until the server ends, in uvloop's loop if it is there, which is the faster one."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(serving)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


async def _serve(service: Service, listening: socket.socket, supervisor: int | None = None) -> None:
    import uvicorn

    from likely.server.accepting import Accepting
    from likely.server.connection import Connection, watch
    from likely.server.line import Line

    model, options = service.model, service.options
    line = Line(options.requests, service.work, service.refused)

    class Server(uvicorn.Server):
        """A server that leaves signals to the loop, and ends without raising them again."""

        def capture_signals(self) -> Any:
            return nullcontext()

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            accepting.start()

        async def shutdown(self, sockets: Any = None) -> None:
            accepting.stop()
            await super().shutdown(sockets)

    def connection() -> Connection:
        state = server.server_state
        return Connection(options, line, config=config, server_state=state, app_state={})

    config = uvicorn.Config(
        Guard(service, options),
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = Server(config)
    accepting = Accepting(listening, connection, lambda: len(server.server_state.tasks))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.handle_exit, number, None)
    watching = [asyncio.create_task(watch(server.server_state.connections))]
    if supervisor is not None:
        watching.append(asyncio.create_task(_follow(supervisor, server)))
    elif isinstance(model, FixedModel):
        changed = asyncio.Event()
        loop.add_signal_handler(signal.SIGHUP, changed.set)
        watching.append(asyncio.create_task(_watch(model, changed)))
    elif service.learns:
        loop.add_signal_handler(signal.SIGHUP, _log.warning, _LEARNS, model.path)
    else:
        loop.add_signal_handler(signal.SIGHUP, server.handle_exit, signal.SIGHUP, None)
    try:
        await server.serve([])
    finally:
        for task in watching:
            task.cancel()
        await loop.run_in_executor(None, model.close)


async def _follow(supervisor: int, server: Any) -> None:
    """End with the process that looks after this one."""
    while os.getppid() == supervisor:
        await asyncio.sleep(_LOOK_SECONDS)
    server.should_exit = True


async def _watch(model: FixedModel, changed: asyncio.Event) -> None:
    """Reload the model on SIGHUP, and when its file has changed."""
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), _LOOK_SECONDS)
        if changed.is_set() or model.has_changed:
            changed.clear()
            try:
                await asyncio.get_running_loop().run_in_executor(None, model.reload)
                _log.info("%s was read again", model.path)
            except LikelyError as error:
                _log.error("the changed file is not used: %s", error)
