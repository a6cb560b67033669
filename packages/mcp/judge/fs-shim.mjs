// The conformance suites import `fs.globSync`, which Node 20 lacks, for one subcommand that we do not use.
import { register } from 'node:module';

const fs =
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => { throw new Error('needs Node 22'); };";
const shim = `data:text/javascript,${encodeURIComponent(fs)}`;
register(
  `data:text/javascript,${encodeURIComponent(`export const resolve = (name, ctx, next) =>
  /^(node:)?fs$/.test(name) && /conformance[^/]*\\/dist/.test(ctx.parentURL ?? '')
    ? { url: ${JSON.stringify(shim)}, format: 'module', shortCircuit: true } : next(name, ctx);`)}`,
);
