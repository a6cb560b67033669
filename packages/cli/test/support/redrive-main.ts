/** `sallyport redrive` as a program; `sallyport` itself loads commands from built packages. */
export const REDRIVE_MAIN = `
import { REDRIVE_COMMAND } from './command.js';
const write = (stream) => (text) => stream.write(text);
process.exitCode = await REDRIVE_COMMAND.run(process.argv.slice(2), {
  cwd: process.cwd(),
  environment: process.env,
  out: write(process.stdout),
  err: write(process.stderr),
  signal: new AbortController().signal,
});
`;
