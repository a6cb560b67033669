import { Writable } from 'node:stream';

/** Keeps standard output for the protocol: all other output goes to standard error from now on. */
export function reserveStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, () => done());
    },
  });
}
