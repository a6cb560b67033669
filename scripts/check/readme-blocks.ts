import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

/** A fenced block of TypeScript in a Markdown file. */
export interface CodeBlock {
  readonly file: string;
  /** Line of the block's first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /**
   * The file name after the language: a file that readers of the page create, and that other blocks of the page
   * can import.
   */
  readonly name?: string;
}

/** The blocks that are fenced as `ts`, `tsx` or `typescript`. */
export function codeBlocks(file: string, markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; line: number; code: string[] | null; name: string } | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^\s*(```+|~~~+)\s*([\w-]*)\s*(\S*)/.exec(line);
    if (open) {
      if (fence?.[1]?.startsWith(open.fence) && fence[2] === '') {
        if (open.code !== null) {
          const { name, code } = open;
          blocks.push({ file, line: open.line, code: code.join('\n'), ...(name !== '' && { name }) });
        }
        open = null;
      } else open.code?.push(line);
    } else if (fence?.[1] !== undefined) {
      const isTypeScript = ['ts', 'tsx', 'typescript'].includes(fence[2] ?? '');
      open = { fence: fence[1], line: index + 2, code: isTypeScript ? [] : null, name: fence[3] ?? '' };
    }
  }
  return blocks;
}

export interface CompileOptions {
  readonly root: string;
  /** The tsconfig with the compiler options. */
  readonly config: string;
  /** `paths` of the compiler, absolute. */
  readonly paths: Record<string, string[]>;
}

/** Type-checks each block as a module next to its Markdown file. Findings carry the Markdown file's own line numbers. */
export function compileBlocks(
  blocks: readonly CodeBlock[],
  { root, config, paths }: CompileOptions,
): readonly string[] {
  const modules = new Map(blocks.map((block) => [join(root, moduleName(block)), moduleText(block)]));
  const options = { ...readOptions(config), paths, incremental: false, moduleDetection: ts.ModuleDetectionKind.Force };
  delete options.tsBuildInfoFile;
  const program = ts.createProgram([...modules.keys()], options, hostWith(modules, options));
  return blocks.flatMap((block) => {
    const source = program.getSourceFile(join(root, moduleName(block)));
    const found = source ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)] : [];
    return found.map((diagnostic) => describe(block, diagnostic));
  });
}

function moduleName({ file, line, name }: CodeBlock): string {
  // The files of a page are in one folder, separate from the files of other pages.
  return name ? join(`${file}.files`, name) : join(dirname(file), `${basename(file, '.md')}-block-${line}.ts`);
}

/** Empty lines before the code make the compiler's line numbers those of the Markdown file. */
function moduleText({ line, code }: CodeBlock): string {
  return '\n'.repeat(line - 1) + code;
}

function readOptions(config: string): ts.CompilerOptions {
  const read = ts.readConfigFile(config, ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...read.config, files: [], include: [] }, ts.sys, dirname(config));
  return parsed.options;
}

/** A host for which the modules exist next to the files on disk. */
function hostWith(modules: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    directoryExists: (folder) => isFolderOf(modules, folder) || (host.directoryExists?.(folder) ?? true),
    fileExists: (file) => modules.has(file) || host.fileExists(file),
    readFile: (file) => modules.get(file) ?? host.readFile(file),
    getSourceFile(file, languageVersion, ...rest) {
      const text = modules.get(file);
      return text === undefined
        ? host.getSourceFile(file, languageVersion, ...rest)
        : ts.createSourceFile(file, text, languageVersion, true);
    },
  };
}

function isFolderOf(modules: ReadonlyMap<string, string>, folder: string): boolean {
  return [...modules.keys()].some((file) => file.startsWith(`${folder}/`));
}

function describe(block: CodeBlock, diagnostic: ts.Diagnostic): string {
  const position = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
  return `${block.file}:${(position?.line ?? 0) + 1}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
}

/** The packages that the first block of a README imports and that its install lines do not install. */
export function missingInstalls(file: string, markdown: string): readonly string[] {
  const [first] = codeBlocks(file, markdown);
  const installed = [...markdown.matchAll(/^npm install (.*)$/gm)].flatMap(([, names = '']) => names.split(' '));
  if (!first || installed.length === 0) return [];
  const imported = [...first.code.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)[^':]*'/g)].map(([, name = '']) => name);
  return [...new Set(imported)]
    .filter((name) => !installed.includes(name))
    .map((name) => `${file}:${first.line}: imports ${name}, which no install line above installs`);
}
