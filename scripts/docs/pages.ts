import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { readWorkspace } from '../check/workspace.js';
import { renderClassifier } from './classifier.js';
import { checkCompatibility, RELEASES, renderCompatibility } from './compatibility.js';
import { renderDeadlines } from './deadlines-data.js';
import { checkDeployment, renderDeployment } from './deployment.js';
import { renderEntries } from './entries.js';
import { renderErrorCodes } from './error-codes.js';
import { checkErrorTables, renderErrorTables } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';
import { checkDoorPage, fixtureDoors, renderDoorPage } from './front-doors.js';
import { FRONT_DOORS } from './front-doors-data.js';
import { checkHosts, readHostResults, readHostVersions, renderMcpPage } from './mcp-hosts.js';
import { checkMetricTable, renderMetricTable } from './metric-table.js';
import { checkTables, readTables, renderTables } from './option-tables.js';
import { checkSupport, renderSupport, SECURITY } from './support.js';
import { renderTriggerRows, TRIGGER_FILES } from './trigger-files.js';
import { renderKindsPage, renderKindsTable } from './trigger-kinds.js';
import { renderReleaseSet, renderVersion, renderVersions, versionFiles } from './versions.js';

/** A page, or a file of code, that is generated from data. */
export interface Page {
  /** From the root of the repository. */
  readonly file: string;
  /** Faults of the data; empty if the page can be written. */
  readonly check: (root: string) => readonly string[] | Promise<readonly string[]>;
  readonly render: () => string | Promise<string>;
}

/** Its table of metrics is generated. */
const OBSERVABILITY = 'docs/observability.md';

export const PAGES: readonly Page[] = [
  { file: 'packages/dispatch/src/internal/classify.ts', check: () => [], render: () => renderClassifier() },
  ...TRIGGER_FILES.map(({ file, render }): Page => ({ file, check: () => [], render })),
  { file: 'packages/migrate/src/mapping/internal/entries.ts', check: () => [], render: renderEntries },
  {
    file: 'packages/migrate/src/mapping/internal/release-set.ts',
    check: () => [],
    render: renderReleaseSet,
  },
  { file: 'packages/create-sallyport/versions.json', check: () => [], render: renderVersions },
  ...versionFiles().map((file): Page => ({ file, check: () => [], render: () => renderVersion(file) })),
  {
    file: 'docs/front-doors.md',
    check: (root) => checkDoorPage(FRONT_DOORS, fixtureDoors(root)),
    render: () => renderDoorPage(FRONT_DOORS),
  },
  { file: 'docs/trigger-kinds.md', check: () => [], render: renderKindsPage },
  {
    file: 'docs/mcp.md',
    check: (root) => checkHosts(readHostResults(root), readHostVersions(root)),
    render: renderMcpPage,
  },
  { file: 'docs/deadlines.md', check: () => [], render: renderDeadlines },
  {
    file: OBSERVABILITY,
    check: () => checkMetricTable(readFileSync(join(ROOT, OBSERVABILITY), 'utf8')),
    render: () => renderMetricTable(readFileSync(join(ROOT, OBSERVABILITY), 'utf8')),
  },
  { file: 'docs/error-codes.md', check: () => [], render: renderErrorCodes },
  {
    file: RELEASES,
    check: () => [...checkCompatibility(), ...checkSupport(RELEASES, ['periods', 'deprecated', 'node'])],
    render: () => renderSupport(renderCompatibility()),
  },
  {
    file: SECURITY,
    check: () => checkSupport(SECURITY, ['security-fixes']),
    render: () => renderSupport(readFileSync(join(ROOT, SECURITY), 'utf8')),
  },
  ...['docs/deployment.md', 'docs/deploy-sam.md', 'docs/deploy-terraform.md'].map(deploymentPage),
  ...readWorkspace(ROOT, ['packages']).map(({ folder }) => readme(`${folder}/README.md`)),
];

/** A page about deployment whose tables and policies are generated from the schemas. */
function deploymentPage(file: string): Page {
  const read = (root: string) => readFileSync(join(root, file), 'utf8');
  return { file, check: (root) => checkDeployment(read(root)), render: () => renderDeployment(read(ROOT)) };
}

/** A README whose tables of options and error codes are generated from the code. */
function readme(file: string): Page {
  const errors = ERROR_TABLES[file] ?? [];
  const read = (root: string) => readFileSync(join(root, file), 'utf8');
  return {
    file,
    async check(root) {
      const text = read(root);
      return [...checkTables(await readTables(file, text)), ...checkErrorTables(text, errors)];
    },
    async render() {
      const text = read(ROOT);
      return renderKindsTable(
        renderTriggerRows(renderErrorTables(renderTables(text, await readTables(file, text)), errors)),
      );
    },
  };
}
