import ts from 'typescript';
import { applyEdits, type Edit, placeBefore } from '../../internal/edits.js';
import { type CodeProgram, parseCode, pathOf } from '../../internal/program.js';
import type { Mapping } from '../../mapping/mapping.js';
import { importsRule } from '../../rules/internal/imports.js';
import { packageEdits } from '../../rules/internal/package.js';
import type { CodeRule, Remark } from '../../rules/internal/rule.js';
import { makesContainer, secureRule } from '../../rules/internal/secure.js';
import { strictRule } from '../../rules/internal/strict.js';
import { isCode, type ReadFile, type Tree } from '../../tree/internal/read.js';
import { settingsReader } from '../../tree/internal/settings.js';
import type { ManualStep, MigrationPlan, Place, Rule } from '../plan.js';

const CODE_RULES: readonly (readonly [Rule, CodeRule])[] = [
  ['imports', importsRule],
  ['strict', strictRule],
  ['secure', secureRule],
];

/** Runs the rules one after the other, each on what the one before has made. */
export function runRules(tree: Tree, mapping: Mapping, rules: readonly Rule[]): MigrationPlan {
  const run = new Run(tree);
  const broken = run.leaveBroken();
  for (const [name, rule] of CODE_RULES) if (rules.includes(name)) run.apply(name, rule, mapping);
  if (rules.includes('package')) run.changePackages(mapping);
  const { root, skipped } = tree;
  const manual = run.manual.sort((a, b) => compare(a.path, b.path) || a.line - b.line || a.column - b.column);
  return { root, skipped, broken, manual, ...run.outcome() };
}

/** Byte order. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

class Run {
  readonly #tree: Tree;
  readonly #settingsOf: (path: string) => ts.CompilerOptions;
  readonly #texts: Map<string, string>;
  /** The edits of each rule that changed a file, in order. */
  readonly #history = new Map<string, Edit[][]>();
  readonly #parsed = new Map<string, ts.SourceFile>();
  readonly #broken = new Set<string>();
  readonly manual: ManualStep[] = [];
  #code: CodeProgram;
  /** Files that made a container when they were read. */
  readonly #makers = new Set<string>();

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#texts = new Map(tree.files.map(({ path, text }) => [path, text]));
    this.#settingsOf = settingsReader(tree.root);
    this.#code = this.#parse();
  }

  /** Files that do not parse; no rule looks at them again. */
  leaveBroken(): readonly Place[] {
    const { program, sources } = this.#code;
    return [...sources].flatMap(([path, source]) => {
      const [first] = program.getSyntacticDiagnostics(source);
      if (first === undefined) return [];
      this.#broken.add(path);
      const text = ts.flattenDiagnosticMessageText(first.messageText, ' ');
      return [this.#placeOf({ path, place: first.start, text })];
    });
  }

  apply(name: Rule, rule: CodeRule, mapping: Mapping): void {
    const sources = [...this.#code.sources].flatMap(([path, source]) => (this.#broken.has(path) ? [] : [source]));
    if (name === 'secure') {
      for (const source of sources) if (makesContainer(this.#code, pathOf(source))) this.#makers.add(pathOf(source));
    }
    const { edits, remarks } = rule(this.#code, mapping, sources);
    for (const remark of remarks) this.manual.push({ rule: name, ...this.#placeOf(remark) });
    for (const [path, list] of edits) this.#edit(path, list);
    if (edits.size > 0) this.#code = this.#parse();
  }

  changePackages(mapping: Mapping): void {
    for (const [path, text] of this.#texts) {
      const edits = isCode(path) ? [] : packageEdits(text, mapping);
      if (edits.length > 0) this.#edit(path, [...edits]);
    }
  }

  outcome(): Pick<MigrationPlan, 'changes' | 'order'> {
    const changes = this.#tree.files.flatMap(({ path, text: before }) => {
      const after = this.#texts.get(path) ?? before;
      return after === before ? [] : [{ path, before, after }];
    });
    const paths = changes.map(({ path }) => path);
    const isMaker = (path: string) => this.#makers.has(path);
    return { changes, order: [...paths.filter((path) => !isMaker(path)), ...paths.filter(isMaker)] };
  }

  #edit(path: string, edits: Edit[]): void {
    this.#texts.set(path, applyEdits(this.#texts.get(path) ?? '', edits));
    this.#history.set(path, [...(this.#history.get(path) ?? []), edits]);
  }

  #parse(): CodeProgram {
    const files: ReadFile[] = [...this.#texts].flatMap(([path, text]) => (isCode(path) ? [{ path, text }] : []));
    return parseCode(files, this.#settingsOf, this.#parsed);
  }

  /** Line and column in the file as it was read. */
  #placeOf({ path, place, text }: Remark): Place {
    const before = (this.#history.get(path) ?? []).reduceRight((at, edits) => placeBefore(edits, at), place);
    const original = this.#tree.files.find((file) => file.path === path)?.text ?? '';
    const lines = original.slice(0, before).split('\n');
    return { path, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, text };
  }
}
