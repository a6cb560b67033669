import ts from 'typescript';
import { applyEdits, type Edit, placeBefore } from '../../internal/edits.js';
import { parseCode, pathOf } from '../../internal/program.js';
import type { Mapping } from '../../mapping/mapping.js';
import { frameworksRule } from '../../rules/internal/frameworks.js';
import { importsRule } from '../../rules/internal/imports.js';
import { packageEdits } from '../../rules/internal/package.js';
import type { CodeRule, Remark } from '../../rules/internal/rule.js';
import { makesContainer, secureRule } from '../../rules/internal/secure.js';
import { strictRule } from '../../rules/internal/strict.js';
import { isCode, type ReadFile, type Tree } from '../../tree/internal/read.js';
import { settingsReader } from '../../tree/internal/settings.js';
import type { ManualStep, MigratedHandler, MigrationPlan, Place, Rule } from '../plan.js';
import { changedPackages } from './dependencies.js';
import { readDeployment } from './deployment.js';
import { aroundContainers, aroundFrameworks, chunksOf, named } from './selection.js';

/** Runs the rules in order, each on the result of the previous rule. */
export function runRules(tree: Tree, mapping: Mapping, rules: readonly Rule[]): MigrationPlan {
  const run = new Run(tree, mapping);
  const broken = run.leaveBroken();
  if (rules.includes('frameworks')) run.rewriteFrameworks();
  if (rules.includes('imports')) run.moveImports();
  if (rules.includes('strict')) run.changeRegistrations('strict', strictRule);
  if (rules.includes('secure')) run.changeRegistrations('secure', secureRule);
  if (rules.includes('package')) run.changePackages();
  const { root, skipped } = tree;
  const byPlace = (a: Place, b: Place) => compare(a.path, b.path) || a.line - b.line || a.column - b.column;
  const manual = run.manual.sort(byPlace);
  return { root, skipped, broken, manual, handlers: run.handlers.sort(byPlace), ...run.outcome() };
}

/** Byte order. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

class Run {
  readonly #tree: Tree;
  readonly #mapping: Mapping;
  readonly #settingsOf: (path: string) => ts.CompilerOptions;
  readonly #originals: ReadonlyMap<string, string>;
  readonly #texts: Map<string, string>;
  /** The edits of each rule that changed a file, in order. */
  readonly #history = new Map<string, Edit[][]>();
  readonly #broken = new Set<string>();
  /** Files that made a container when they were read. */
  readonly #makers = new Set<string>();
  readonly manual: ManualStep[] = [];
  readonly handlers: MigratedHandler[] = [];
  /** The packages of the mapping and of rewritten frameworks. */
  #packages: Mapping['packages'];

  constructor(tree: Tree, mapping: Mapping) {
    this.#tree = tree;
    this.#mapping = mapping;
    this.#packages = mapping.packages;
    this.#originals = new Map(tree.files.map(({ path, text }) => [path, text]));
    this.#texts = new Map(this.#originals);
    this.#settingsOf = settingsReader(tree.root);
  }

  /** Files that do not parse; the rules skip them. */
  leaveBroken(): readonly Place[] {
    return chunksOf(this.#code()).flatMap((files) => {
      const { program, sources } = parseCode(files, this.#settingsOf);
      return [...sources].flatMap(([path, source]) => {
        const [first] = program.getSyntacticDiagnostics(source);
        if (first === undefined) return [];
        this.#broken.add(path);
        const text = ts.flattenDiagnosticMessageText(first.messageText, ' ');
        return [this.#placeOf({ path, place: first.start, text })];
      });
    });
  }

  /** Handlers and routers can be in other files than their application. */
  rewriteFrameworks(): void {
    const code = this.#code();
    const files = aroundFrameworks(code);
    if (files.length === 0) return;
    this.#apply('frameworks', frameworksRule(readDeployment(this.#tree.root)), files);
    const after = this.#code().map(({ text }) => text);
    const { remove = [], add } = changedPackages(
      code.map(({ text }) => text),
      after,
    );
    this.#packages = {
      remove: [...(this.#packages?.remove ?? []), ...remove],
      add: { ...this.#packages?.add, ...add },
    };
  }

  /** Imports need no other file. */
  moveImports(): void {
    for (const files of chunksOf(named(this.#code(), this.#mapping))) this.#apply('imports', importsRule, files);
  }

  /** A registration can be in another file than its container. */
  changeRegistrations(name: Rule, rule: CodeRule): void {
    for (const files of aroundContainers(this.#code(), this.#settingsOf)) this.#apply(name, rule, files);
  }

  changePackages(): void {
    for (const [path, text] of this.#texts) {
      const edits = isCode(path)
        ? []
        : packageEdits(text, { ...this.#mapping, ...(this.#packages && { packages: this.#packages }) });
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

  #apply(name: Rule, rule: CodeRule, files: readonly ReadFile[]): void {
    const code = parseCode(files, this.#settingsOf);
    const sources = [...code.sources.values()];
    if (name === 'secure') {
      for (const source of sources) if (makesContainer(source, code.checker)) this.#makers.add(pathOf(source));
    }
    const { edits, remarks, handlers } = rule(code, this.#mapping, sources);
    for (const { outcome, name: text, ...found } of handlers) {
      this.handlers.push({ ...this.#placeOf({ ...found, text }), outcome });
    }
    for (const remark of remarks) this.manual.push({ rule: name, ...this.#placeOf(remark) });
    for (const [path, list] of edits) this.#edit(path, list);
  }

  /** The code that parses, after the previous rules. */
  #code(): readonly ReadFile[] {
    return [...this.#texts].flatMap(([path, text]) => {
      return isCode(path) && !this.#broken.has(path) ? [{ path, text }] : [];
    });
  }

  #edit(path: string, edits: Edit[]): void {
    this.#texts.set(path, applyEdits(this.#texts.get(path) ?? '', edits));
    this.#history.set(path, [...(this.#history.get(path) ?? []), edits]);
  }

  /** Line and column in the original file. */
  #placeOf({ path, place, text }: Remark): Place {
    const before = (this.#history.get(path) ?? []).reduceRight((at, edits) => placeBefore(edits, at), place);
    const lines = (this.#originals.get(path) ?? '').slice(0, before).split('\n');
    return { path, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, text };
  }
}
