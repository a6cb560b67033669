import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { runCommand } from '../src/internal/command.js';
import { contentOf, copyOf, filesOf, GOLDEN, removeServices, WORKSPACE } from './support/service.js';

interface Expectation {
  readonly exitCode: number;
  readonly stderr: readonly string[];
  /** Compiler errors after the migration other than placeholders: each is a line of the manual list. */
  readonly errors: readonly string[];
}

afterAll(removeServices);

function run(...args: string[]): {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: readonly string[];
} {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = runCommand(args, { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { exitCode, stdout: out.join(''), stderr: err.join('').split('\n').slice(0, -1) };
}

describe.each(readdirSync(GOLDEN))('the service %s', (name) => {
  const before = join(GOLDEN, name, 'before');
  const after = join(GOLDEN, name, 'after');
  const expected = JSON.parse(readFileSync(join(GOLDEN, name, 'expect.json'), 'utf8')) as Expectation;

  it('has a dry run that writes nothing and whose diff makes the migrated service', () => {
    const root = copyOf(before);
    const { exitCode, stdout, stderr } = run('-root', root);
    expect([exitCode, stderr]).toEqual([expected.exitCode, expected.stderr]);
    expect(contentOf(root)).toEqual(contentOf(before));
    const patched = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], {
      cwd: root,
      input: stdout,
      encoding: 'utf8',
    });
    expect([patched.status, patched.stderr]).toEqual([0, '']);
    expect(contentOf(root)).toEqual(contentOf(after));
  });

  it('is rewritten, and a second run finds nothing to do', () => {
    const root = copyOf(before);
    expect(run('-root', root, '-apply')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(contentOf(root)).toEqual(contentOf(after));
    const again = run('-root', root);
    expect([again.exitCode, again.stdout, again.stderr.at(-1)]).toEqual([0, '', 'sallyport-migrate: no changes']);
  });

  it('compiles against our packages except manual changes', () => {
    expect(errorsOf(after)).toEqual(expected.errors);
  }, 120_000);
});

/** Compiler errors other than missing postures: `src/a.ts:3 TS2322`. */
function errorsOf(folder: string): readonly string[] {
  const config = join(WORKSPACE, 'tsconfig.base.json');
  const { config: read } = ts.readConfigFile(config, ts.sys.readFile);
  const base = ts.parseJsonConfigFileContent({ ...read, files: [] }, ts.sys, WORKSPACE).options;
  const files = filesOf(folder).filter((path) => /\.[mc]?[tj]sx?$/.test(path));
  const options: ts.CompilerOptions = {
    ...base,
    ...{
      noEmit: true,
      composite: false,
      declarationMap: false,
      allowJs: true,
      checkJs: false,
      verbatimModuleSyntax: false,
    },
    ...{ module: ts.ModuleKind.Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.React },
    paths: {
      '@sallyport/*': [join(WORKSPACE, 'packages/*/src/index.ts')],
      '@sallyport/dispatch/app': [join(WORKSPACE, 'packages/dispatch/src/app.ts')],
      '@sallyport/secure/migrate': [join(WORKSPACE, 'packages/secure/src/migrate.ts')],
      '#api/*': [join(folder, 'services/api/src/*')],
      hono: [join(WORKSPACE, 'examples/from-hono/node_modules/hono')],
      'hono/*': [join(WORKSPACE, 'examples/from-hono/node_modules/hono/dist/types/adapter/*')],
    },
    typeRoots: [join(WORKSPACE, 'node_modules/@types')],
  };
  const program = ts.createProgram(
    files.map((path) => join(folder, path)),
    options,
  );
  return files.flatMap((path) => {
    const source = program.getSourceFile(join(folder, path));
    const found = source ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)] : [];
    return found.flatMap(({ start = 0, code, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, ' ');
      const { line } = source?.getLineAndCharacterOfPosition(start) ?? { line: 0 };
      return text.includes('PostureNotChosen') ? [] : [`${path}:${line + 1} TS${code} ${text.split('.', 1)[0]}`];
    });
  });
}
