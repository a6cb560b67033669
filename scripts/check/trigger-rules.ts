/** The facts of one trigger's files, as the rules compare them. */
export interface DescribedTrigger {
  readonly sample: { readonly build: { readonly name: string }; readonly events: readonly unknown[] };
  readonly docs: { readonly section: string; readonly rows: readonly unknown[] };
  readonly construct: string | null;
  readonly simulate: string | null;
  readonly sizes: { readonly factory: string };
}

/** The facts that the rules compare. */
export interface TriggerFacts {
  /** The files of `packages/triggers/src/kinds`. */
  readonly kinds: readonly string[];
  /** The catalogue, by its files. */
  readonly catalogue: ReadonlyMap<string, DescribedTrigger>;
  /** The kinds of the fixed table. */
  readonly fixed: readonly string[];
  /** The text of `docs/triggers.md`. */
  readonly page: string;
  /** The names that `@sallyport/triggers` and its entry `testing` export. */
  readonly exported: ReadonlySet<string>;
  /** The surfaces that fixtures register with. */
  readonly surfaces: ReadonlySet<string>;
  /** The call of `ServiceWiring` that attaches a kind; `undefined` if none does. */
  readonly wiringOf: (kind: string) => string | undefined;
  /** The names of `triggers` in `@sallyport/testkit`. */
  readonly sources: readonly string[];
  /** The kinds of forms of the console whose event has a sample. */
  readonly forms: readonly string[];
}

/** Triggers with a missing or contradicting part. Each finding names the trigger and the remedy. */
export function findTriggerFaults(facts: TriggerFacts): readonly string[] {
  const { kinds, catalogue } = facts;
  return [
    ...kinds
      .filter((kind) => !catalogue.has(kind))
      .map(
        (kind) =>
          `trigger "${kind}" has no packages/triggers/src/catalogue/${kind}.ts: describe it there, then npm run docs`,
      ),
    ...[...catalogue].flatMap(([kind, described]) => {
      return faultsOf(kind, described, facts).map((fault) => `trigger "${kind}" ${fault}`);
    }),
  ];
}

function faultsOf(kind: string, { sample, docs, construct, simulate, sizes }: DescribedTrigger, facts: TriggerFacts) {
  const file = `packages/triggers/src/catalogue/${kind}.ts`;
  const wiring = facts.wiringOf(kind) ?? null;
  const faults: readonly (readonly [isBroken: boolean, fault: string])[] = [
    [
      !facts.kinds.includes(kind),
      `has no packages/triggers/src/kinds/${kind}.ts: define what runs there, or delete ${file}`,
    ],
    [facts.fixed.includes(kind), 'has the name of a kind of the fixed table: choose another name'],
    [sample.events.length === 0, `has no sample: add an event of its builder to sample.events in ${file}`],
    [
      !/^build[A-Z]/.test(sample.build.name) || !facts.exported.has(sample.build.name),
      `has no builder: export a function build… from ${file} and name it in sample.build, then npm run docs`,
    ],
    [
      !importsOf(sectionOf(facts.page, docs.section)).has(sizes.factory),
      `has no section "## ${docs.section}" in docs/triggers.md with an example that imports ${sizes.factory} of @sallyport/triggers: write it`,
    ],
    [
      docs.rows.length === 0,
      `has no row in packages/triggers/README.md: add one to docs.rows in ${file}, then npm run docs`,
    ],
    [
      !facts.surfaces.has(kind),
      `has no fixture: add contract-fixtures/triggers/${kind}.json, which registers the surface "${kind}"`,
    ],
    [
      construct !== wiring,
      `has the construct ${shown(construct)}, and ServiceWiring attaches it with ${shown(wiring)}: change construct in ${file}, or packages/constructs/src/wiring/internal/registrations.ts`,
    ],
    [
      simulate !== null && !facts.sources.includes(simulate),
      `has the simulation "${simulate}", which \`triggers\` of @sallyport/testkit does not have: choose one of ${facts.sources.join(', ')}`,
    ],
    [
      !facts.forms.includes(kind),
      'has no form with a sample in the console: see packages/local/src/internal/send/forms.ts',
    ],
  ];
  return faults.filter(([isBroken]) => isBroken).map(([, fault]) => fault);
}

function sectionOf(page: string, title: string): string | undefined {
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`));
}

/** The names that the examples of a section import from the package. */
function importsOf(section = ''): ReadonlySet<string> {
  const imports = section.matchAll(/^import \{([^}]*)\} from '@sallyport\/triggers';$/gm);
  return new Set([...imports].flatMap(([, names = '']) => names.split(',').map((name) => name.trim())));
}

function shown(name: string | null): string {
  return name === null ? 'null' : `"${name}"`;
}
