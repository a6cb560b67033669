import { type ChildProcess, spawn } from 'node:child_process';
import { toWire } from '../fixtures/json.js';
import {
  type ContractRuntime,
  type DoneMessage,
  type HelloAnswer,
  type HelloMessage,
  LineReader,
  ProtocolError,
  type RunMessage,
  toLine,
  type UnsupportedMessage,
} from './protocol.js';

/** A runtime in this process. It communicates with the same JSON as one in another process. */
export function inProcess(runtime: ContractRuntime): ContractRuntime {
  return {
    hello: async (message) => toWire(await runtime.hello(toWire(message))),
    run: async (message) => toWire(await runtime.run(toWire(message))),
    bye: () => runtime.bye(),
    // It keeps no data between fixtures, so a restart does nothing.
    restart: async () => {},
  };
}

/** Maximum time for a runtime to exit after `bye`, in milliseconds. */
const BYE_MS = 5000;

interface Waiting {
  readonly resolve: (message: unknown) => void;
  readonly reject: (error: ProtocolError) => void;
}

/** A runtime in a child process, over standard input and output; its standard error is passed through. */
export function spawnRuntime(command: string, byeMs: number = BYE_MS): ContractRuntime {
  let current = new RuntimeProcess(command);
  return {
    hello: (message: HelloMessage) => current.ask(message) as Promise<HelloAnswer>,
    run: (message: RunMessage) => current.ask(message) as Promise<DoneMessage | UnsupportedMessage>,
    bye: () => current.end(byeMs),
    async restart() {
      await current.kill();
      current = new RuntimeProcess(command);
    },
    kill: () => current.kill(),
  };
}

/** One run of the command: exactly one line is returned for each line sent. */
class RuntimeProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;
  #waiting: Waiting | undefined;
  #breach: ProtocolError | undefined;
  #ending = false;

  constructor(command: string) {
    this.#child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    const reader = new LineReader(
      (message) => this.#receive(message),
      (error) => this.#break(error),
    );
    this.#child.stdout?.on('data', (bytes: Buffer) => reader.push(bytes)).on('end', () => reader.end());
    // For a runtime that has exited, the error is its exit status, not the broken pipe.
    this.#child.stdin?.on('error', () => {});
    this.#exit = new Promise((resolve) => {
      this.#child.on('error', () => resolve(null)).on('close', (status) => resolve(status));
    });
    void this.#exit.then((status) => {
      if (!this.#ending) this.#break(new ProtocolError(`the runtime ended with status ${status}`));
    });
  }

  ask(message: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#breach) return reject(this.#breach);
      this.#waiting = { resolve, reject };
      this.#child.stdin?.write(toLine(message));
    });
  }

  /** @throws ProtocolError for a violation of the protocol, an exit status other than 0, or an exit that takes too long */
  async end(byeMs: number): Promise<void> {
    if (this.#breach) {
      await this.kill();
      throw this.#breach;
    }
    this.#ending = true;
    this.#child.stdin?.end(toLine({ type: 'bye' }));
    const status = await this.#exitWithin(byeMs);
    if (status !== 0) throw new ProtocolError(`the runtime ended with status ${status}`);
    if (this.#breach) throw this.#breach;
  }

  async #exitWithin(byeMs: number): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), byeMs);
    });
    const status = await Promise.race([this.#exit, late]);
    clearTimeout(timer);
    if (status !== 'late') return status;
    await this.kill();
    throw new ProtocolError(`the runtime did not end within ${byeMs} ms of bye`);
  }

  /** Kills the command and its child processes. */
  async kill(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && this.#child.exitCode === null) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        this.#child.kill('SIGKILL');
      }
    }
    await this.#exit;
  }

  #receive(message: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting.resolve(message);
    else this.#break(new ProtocolError('the runtime printed an unexpected line'));
  }

  /** The first violation is reported. */
  #break(error: ProtocolError): void {
    this.#breach ??= error;
    this.#waiting?.reject(this.#breach);
    this.#waiting = undefined;
  }
}
