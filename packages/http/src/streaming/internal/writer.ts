import type { ResponseStream } from './response-stream.js';

/**
 * Writes to a response stream one chunk at a time, and knows when its reader is gone. It never destroys the stream: the
 * runtime client writes its error trailers to it.
 */
export class StreamWriter {
  readonly #stream: ResponseStream;
  #gone = false;
  #finished = false;
  #wake: (() => void) | undefined;

  /** `onGone` runs once when the stream closes or fails before it was finished. */
  constructor(stream: ResponseStream, onGone: () => void) {
    this.#stream = stream;
    const leave = () => {
      if (this.#finished || this.#gone) return;
      this.#gone = true;
      onGone();
      this.#wake?.();
    };
    stream.on('drain', () => this.#wake?.());
    stream.on('finish', () => {
      this.#finished = true;
      this.#wake?.();
    });
    stream.on('error', leave);
    stream.on('close', leave);
  }

  get gone(): boolean {
    return this.#gone || (this.#stream.destroyed === true && !this.#finished);
  }

  /** Resolves once the stream takes more; at once when nobody reads any longer. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.gone || this.#stream.write(chunk)) return;
    await this.#nextChange();
  }

  /** Ends the stream and waits until everything has been handed over, or the reader is gone. */
  async finish(): Promise<void> {
    if (this.gone) return;
    this.#stream.end();
    while (!this.#finished && !this.gone) await this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
