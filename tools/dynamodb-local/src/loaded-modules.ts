import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The files that a fresh process loads for an import, by address: shows whether an entry loads an AWS client.
 *
 * @param entry what is imported, such as `@sallyport/jobs`
 * @param from a file of the package that imports it, as `import.meta.url`
 */
export function loadedModules(entry: string, from: string): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    await import('${entry}');
    console.log(JSON.stringify(seen));`;
  const flags = ['--conditions=@sallyport/source', '--import', 'tsx', '--input-type=module', '-e', program];
  const cwd = fileURLToPath(new URL('.', from));
  const { stdout, stderr } = spawnSync(nodeWithHooks(), flags, { cwd, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

/** `registerHooks` came with Node 22.15: the workspace's own Node when the running one is older. */
function nodeWithHooks(): string {
  const own = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
  return existsSync(own) ? own : process.execPath;
}
