// Hides the failures that tests cause in containers without `log`. `LOGS=1 npm test …` shows their lines.
const LINE = /^\{"timestamp":"[^"]+","level":"(?:WARN|ERROR)","message":/;
const QUIET = Symbol.for('sallyport.quiet-logs');

const { stdout } = process;
if (!process.env.LOGS && !stdout[QUIET]) {
  stdout[QUIET] = true;
  const write = stdout.write.bind(stdout);
  stdout.write = (chunk, ...rest) => (LINE.test(String(chunk)) ? true : write(chunk, ...rest));
}
