import { join } from 'node:path';
import ts from 'typescript';
import { filesOf, WORKSPACE } from './service.js';

/** Entries of our packages below their roots. */
const ENTRIES = ['dispatch/app', 'secure/migrate', 'http/compat', 'http/web'];

/** Compiler errors of a migrated service other than missing postures: `src/a.ts:3 TS2322 …`. */
export function errorsOf(folder: string): readonly string[] {
  const config = join(WORKSPACE, 'tsconfig.base.json');
  const { config: read } = ts.readConfigFile(config, ts.sys.readFile);
  const base = ts.parseJsonConfigFileContent({ ...read, files: [] }, ts.sys, WORKSPACE).options;
  const files = filesOf(folder).filter((path) => /\.[mc]?[tj]sx?$/.test(path));
  const entries = ENTRIES.map((entry) => {
    const [name = '', path = ''] = entry.split('/');
    return [`@sallyport/${entry}`, [join(WORKSPACE, 'packages', name, 'src', `${path}.ts`)]];
  });
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
      ...(Object.fromEntries(entries) as Record<string, string[]>),
      '#api/*': [join(folder, 'services/api/src/*')],
      hono: [join(WORKSPACE, 'examples/from-hono/node_modules/hono')],
      'hono/*': [join(WORKSPACE, 'examples/from-hono/node_modules/hono/dist/types/adapter/*')],
      'aws-lambda': [join(WORKSPACE, 'node_modules/@types/aws-lambda')],
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
