import { posix } from 'node:path';
import { type Graph, isTesting, ownerOf, type PackageNode, packageOf, reach } from './graph.js';
import {
  CLIENT_OWNERS,
  CLOSED_PACKAGES,
  ENTRIES_ONLY,
  isAwsClient,
  LEAN_ENTRIES,
  OPTIONAL_PEERS,
  SHARED_FILES,
  SUBPATHS_ONLY,
  TEST_PACKAGES,
  WORKSPACE_DEPENDENCIES,
} from './graph-policy.js';

type Rule = (graph: Graph) => readonly string[];

const SCOPE = '@sallyport/';
const isOurs = (name: string) => name.startsWith(SCOPE);

/** The entries of `packages/*`, package by package. */
function entriesOf(graph: Graph): readonly { owner: PackageNode; subpath: string; file: string }[] {
  return graph.packages
    .filter(({ folder }) => folder.startsWith('packages/'))
    .flatMap((owner) => [...owner.entries].map(([subpath, file]) => ({ owner, subpath, file })));
}

const title = (owner: PackageNode, subpath: string) => posix.join(owner.name, subpath);

/** The closed packages have no dependency outside the workspace, and from there only the listed peers, all optional. */
const closedPackagesStandAlone: Rule = ({ packages }) =>
  packages
    .filter(({ name }) => CLOSED_PACKAGES.includes(name))
    .flatMap(({ name, dependencies, peerDependencies, optionalPeers }) => [
      ...Object.keys(dependencies)
        .filter((dependency) => !isOurs(dependency))
        .map((dependency) => `${name} depends on ${dependency}`),
      ...Object.keys(peerDependencies)
        .filter((peer) => !isOurs(peer) && !Object.hasOwn(OPTIONAL_PEERS[name] ?? {}, peer))
        .map((peer) => `${name} has the peer ${peer}`),
      ...Object.keys(peerDependencies)
        .filter((peer) => !isOurs(peer) && !optionalPeers.includes(peer))
        .map((peer) => `${name}: its peer ${peer} is not optional`),
    ]);

/** Closed packages import nothing from outside but Node's own modules and their listed peers. */
const closedPackagesImportNothing: Rule = (graph) =>
  [...graph.edges.values()].flat().flatMap(({ from, to, external }) => {
    const owner = ownerOf(graph, from);
    if (!external || !owner || !CLOSED_PACKAGES.includes(owner.name) || to.startsWith('node:')) return [];
    if (Object.hasOwn(OPTIONAL_PEERS[owner.name] ?? {}, packageOf(to)) || isOurs(to)) return [];
    return [`${from} imports ${to}`];
  });

/** A listed peer is reached from the entries that exist for it, and from no other. */
const peersStayInTheirEntries: Rule = (graph) =>
  entriesOf(graph).flatMap(({ owner, subpath, file }) =>
    reach(graph, file, 'all').externals.flatMap(({ from, to }) => {
      const importer = ownerOf(graph, from);
      const allowed = OPTIONAL_PEERS[importer?.name ?? '']?.[packageOf(to)];
      if (allowed === undefined || (importer !== owner && !CLOSED_PACKAGES.includes(owner.name))) return [];
      if (importer === owner && allowed.includes(subpath)) return [];
      return [`${title(owner, subpath)} reaches ${to} (${from})`];
    }),
  );

/** Only a package that owns an AWS client may import it, and never statically. The closed packages reach no other client. */
const awsClientsAreLazy: Rule = (graph) => {
  const edges = [...graph.edges.values()].flat().filter(({ external, to }) => external && isAwsClient(to));
  const written = edges.flatMap(({ from, to, kind }) => {
    const owner = ownerOf(graph, from)?.name ?? from;
    if (!CLIENT_OWNERS.includes(owner)) return [`${from} imports ${to}, which ${owner} may not have`];
    return kind === 'static' ? [`${from} imports ${to} statically`] : [];
  });
  const reached = entriesOf(graph)
    .filter(({ owner }) => !CLIENT_OWNERS.includes(owner.name) && CLOSED_PACKAGES.includes(owner.name))
    .flatMap(({ owner, subpath, file }) =>
      reach(graph, file, 'all')
        .externals.filter(({ to }) => isAwsClient(to))
        .map(({ from, to }) => `${title(owner, subpath)} reaches ${to} (${from})`),
    );
  return [...written, ...reached];
};

/** AWS clients are optional peers: an application chooses their version, has each once, and installs only the clients that it uses. */
const awsClientsAreOptionalPeers: Rule = ({ packages }) =>
  packages
    .filter(({ folder }) => folder.startsWith('packages/'))
    .flatMap(({ name, dependencies, peerDependencies, optionalPeers }) => [
      ...Object.keys(dependencies)
        .filter(isAwsClient)
        .map((client) => `${name} depends on ${client}`),
      ...Object.keys(peerDependencies)
        .filter((peer) => isAwsClient(peer) && !optionalPeers.includes(peer))
        .map((peer) => `${name}: its peer ${peer} is not optional`),
    ]);

/** Runtime dependencies within the workspace are in the policy. */
const dependenciesAreAllowed: Rule = ({ packages }) =>
  packages.flatMap(({ name, dependencies, peerDependencies }) => {
    const allowed = WORKSPACE_DEPENDENCIES[name]?.map((short) => SCOPE + short);
    if (!allowed) return [];
    return Object.keys({ ...dependencies, ...peerDependencies })
      .filter((dependency) => isOurs(dependency) && !allowed.includes(dependency))
      .map((dependency) => `${name} depends on ${dependency}`);
  });

/** An entry that promises to be lean reaches only the packages of its promise. */
const leanEntriesStayLean: Rule = (graph) =>
  entriesOf(graph)
    .filter(({ owner, subpath }) => subpath === '.' && Object.hasOwn(LEAN_ENTRIES, owner.name))
    .flatMap(({ owner, file }) => {
      const allowed = [owner.name, ...(LEAN_ENTRIES[owner.name] ?? []).map((short) => SCOPE + short)];
      return [...reach(graph, file, 'all').files]
        .filter((reached) => !allowed.includes(ownerOf(graph, reached)?.name ?? ''))
        .map((reached) => `${owner.name} reaches ${reached}`);
    });

/** No package depends on itself through others. */
const noCycle: Rule = ({ packages }) => {
  const byName = new Map(packages.map((node) => [node.name, node]));
  const done = new Set<string>();
  const findings: string[] = [];
  function visit(name: string, path: readonly string[]): void {
    if (path.includes(name)) {
      findings.push([...path.slice(path.indexOf(name)), name].join(' → '));
      return;
    }
    const node = byName.get(name);
    if (!node || done.has(name)) return;
    for (const next of Object.keys({ ...node.dependencies, ...node.peerDependencies })) visit(next, [...path, name]);
    done.add(name);
  }
  for (const { name } of packages) visit(name, []);
  return findings;
};

/** Imports of another package use its `exports`, and the package is declared. */
const importsAreDeclared: Rule = (graph) => {
  const byName = new Map(graph.packages.map((node) => [node.name, node]));
  return graph.packages.flatMap((owner) =>
    owner.imports.flatMap(({ file, specifier }) => {
      if (specifier.startsWith('.')) return leavesPackage(graph, owner, file, specifier);
      const target = byName.get(packageOf(specifier));
      if (!target) return isOurs(specifier) ? [`${file} imports ${specifier}, which does not exist`] : [];
      const subpath = `.${specifier.slice(target.name.length)}`;
      if (!target.subpaths.includes(subpath))
        return [`${file} imports ${specifier}, which ${target.name} does not export`];
      return target === owner || isDeclared(owner, target.name, file)
        ? []
        : [`${file} imports ${specifier}, undeclared`];
    }),
  );
};

function leavesPackage(graph: Graph, owner: PackageNode, file: string, specifier: string): readonly string[] {
  const target = posix.join(posix.dirname(file), specifier);
  const other = ownerOf(graph, target);
  const isShared = [SHARED_FILES[file] ?? []].flat().includes(target.replace(/\.js$/, '.ts'));
  return other && other !== owner && !isShared ? [`${file} imports ${specifier}, a file of ${other.name}`] : [];
}

function isDeclared(owner: PackageNode, name: string, file: string): boolean {
  const declared = { ...owner.dependencies, ...owner.peerDependencies };
  if (!file.startsWith(`${owner.folder}/src/`)) Object.assign(declared, owner.devDependencies);
  return Object.hasOwn(declared, name);
}

/** Helpers for tests are reached through entries named `testing` or `catalogue` and through the packages for tests only. */
const testHelpersStayApart: Rule = (graph) => {
  const helpers = new Set(graph.packages.flatMap(({ testHelpers }) => testHelpers));
  return entriesOf(graph)
    .filter(({ owner, subpath }) => !isTesting(subpath) && !TEST_PACKAGES.includes(owner.name))
    .flatMap(({ owner, subpath, file }) =>
      [...reach(graph, file, 'all').files]
        .filter((reached) => helpers.has(reached) || TEST_PACKAGES.includes(ownerOf(graph, reached)?.name ?? ''))
        .map((reached) => `${title(owner, subpath)} reaches ${reached}`),
    );
};

/** One version of each dependency: from the catalog, or the same in all packages. */
const oneVersionEach: Rule = ({ packages }) => {
  const ranges = new Map<string, Map<string, string>>();
  const findings: string[] = [];
  for (const { name, folder, dependencies, devDependencies } of packages) {
    for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      const seen = ranges.get(dependency) ?? new Map<string, string>();
      ranges.set(dependency, seen.set(range, name));
      if (folder.startsWith('packages/') && !/^(?:catalog|workspace|npm):/.test(range)) {
        findings.push(`${name} wants ${dependency} ${range}, not catalog:`);
      }
    }
  }
  for (const [dependency, seen] of ranges) {
    const wishes = [...seen].map(([range, name]) => `${range} (${name})`);
    if (wishes.length > 1) findings.push(`${dependency} is wanted as ${wishes.join(' and ')}`);
  }
  return findings;
};

/** The build references every package, and each package's tsconfig references its dependencies. */
const referencesAreComplete: Rule = ({ packages }) => {
  const ours = packages.filter(({ folder }) => folder.startsWith('packages/'));
  const folderOf = new Map(ours.map(({ name, folder }) => [name, folder]));
  const top = packages.find(({ folder }) => folder === '.')?.references ?? [];
  return [
    ...ours
      .filter(({ folder }) => !top.includes(folder))
      .map(({ folder }) => `tsconfig.json does not refer to ${folder}`),
    ...ours.flatMap(({ folder, dependencies, peerDependencies, references }) =>
      Object.keys({ ...dependencies, ...peerDependencies })
        .flatMap((dependency) => folderOf.get(dependency) ?? [])
        .filter((dependency) => !references.includes(dependency))
        .map((dependency) => `${folder}/tsconfig.json does not refer to ${dependency}`),
    ),
  ];
};

/** Modules whose root has everything are imported by subpath, in tests and examples too. */
const subpathsOnly: Rule = ({ packages }) =>
  packages.flatMap(({ imports }) =>
    imports
      .filter(({ specifier }) => SUBPATHS_ONLY.includes(specifier))
      .map(({ file, specifier }) => `${file} imports ${specifier} instead of a subpath`),
  );

/** A package that promises to read only some entries of the others keeps to them. */
const entriesOnly: Rule = ({ packages }) =>
  packages.flatMap(({ name, folder, imports }) => {
    const allowed = ENTRIES_ONLY[name];
    if (!allowed) return [];
    return imports
      .filter(({ file, specifier }) => file.startsWith(`${folder}/src/`) && isOurs(specifier))
      .filter(({ specifier }) => !allowed.test(specifier))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
  });

/** Every sub-path has a source. */
const entriesExist: Rule = ({ packages }) =>
  packages.flatMap(({ name, missing }) => missing.map((subpath) => `${posix.join(name, subpath)} has no source`));

const RULES: Readonly<Record<string, Rule>> = {
  'entries exist': entriesExist,
  'closed packages stand alone': closedPackagesStandAlone,
  'closed packages import nothing': closedPackagesImportNothing,
  'peers stay in their entries': peersStayInTheirEntries,
  'AWS clients are lazy': awsClientsAreLazy,
  'AWS clients are optional peers': awsClientsAreOptionalPeers,
  'workspace dependencies': dependenciesAreAllowed,
  'lean entries': leanEntriesStayLean,
  'no cycle': noCycle,
  'declared imports': importsAreDeclared,
  'test helpers stay apart': testHelpersStayApart,
  'one version each': oneVersionEach,
  'tsconfig references': referencesAreComplete,
  'subpaths only': subpathsOnly,
  'entries only': entriesOnly,
};

/** All findings of all rules, each with its rule's name. */
export function judgeGraph(graph: Graph): readonly string[] {
  return Object.entries(RULES).flatMap(([name, rule]) => [...new Set(rule(graph))].map((f) => `${name}: ${f}`));
}
