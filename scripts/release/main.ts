/**
 * `npm run release [-- --dry] [-- --templates api,events] [-- --managers npm,pnpm]`: builds a clean clone, packs it, checks the archives,
 * installs and runs projects from them through a registry on loopback, and then publishes exactly these bytes. `--dry` leaves the last step out
 * and makes the next versions in the clone; `--dry --again` tries projects with the archives of the last such run,
 * `--quick` without their checks. After a failure while publishing, the same command continues where it ended.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEMPLATES } from '../../packages/create-sallyport/src/internal/templates.js';
import { ROOT, run } from '../check/command.js';
import { mapConcurrently } from '../check/concurrently.js';
import { checkArchive } from '../check/gates/packaging.js';
import { APPLICATION_MANAGERS } from './managers.js';
import { readApiChanges, readNext } from './next.js';
import { anyToken, npmPublisher, type Publication, publishAll } from './publish.js';
import { integrityOf, startRegistry } from './registry.js';
import { type Smoke, smoke } from './smoke.js';
import { storeOthers } from './store.js';

const { values } = parseArgs({
  options: {
    dry: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    templates: { type: 'string', default: Object.keys(TEMPLATES).join(',') },
    managers: { type: 'string', default: APPLICATION_MANAGERS.join(',') },
  },
});

// A release has every check: only a dry run may leave some out.
const isAgain = values.dry && values.again;
const isQuick = values.dry && values.quick;
const commit = (await must('git', ['rev-parse', 'HEAD'])).stdout;
/** Outside `node_modules`, in which tsc writes no declarations, and outside the repository, whose tools would read the clone. */
const folder = join(homedir(), '.cache', 'sallyport-release', values.dry ? 'dry' : commit);
/** The archives of the folder, written after they have passed every check. */
const passed = join(folder, 'passed.json');

interface Passed {
  readonly commit: string;
  readonly publications: readonly Publication[];
  readonly integrities: readonly string[];
}

const ready = values.dry || !existsSync(passed) ? await step('prepare', prepare) : readPassed();
if (values.dry)
  process.stdout.write(`\nnothing was published: ${ready.publications.length} archives are in ${folder}\n`);
else {
  const registry = `${(await must('npm', ['config', 'get', 'registry'])).stdout.replace(/\/$/, '')}/`;
  // A statement of origin needs the identity of a workflow.
  const flags = process.env.GITHUB_ACTIONS === 'true' ? ['--provenance'] : ['--no-provenance'];
  await step('publish', async () => {
    for (const [name, outcome] of await publishAll(ready.publications, registry, npmPublisher(registry, flags, folder)))
      process.stdout.write(`${outcome.padEnd(10)} ${name}\n`);
  });
  const version = ready.publications.find(({ name }) => name === 'create-sallyport')?.version;
  process.stdout.write(`\none tag for the release: git tag v${version} ${commit} && git push origin v${version}\n`);
}

async function prepare(): Promise<Passed> {
  const clone = join(folder, 'clone');
  if (!isAgain) await makeArchives(clone);
  const publications = readNext(clone).packages.map(({ name, version, needs }) => ({
    ...{ name, version, needs },
    archive: join(folder, 'archives', `${name.replace('@', '').replace('/', '-')}-${version}.tgz`),
  }));
  const integrities = integritiesOf(publications);
  if (!isAgain) await checkArchives(clone, publications);
  await tryProjects(publications);
  if (integritiesOf(publications).join() !== integrities.join())
    throw new Error('the archives changed while they were checked');
  const found: Passed = { commit, publications, integrities };
  writeFileSync(passed, JSON.stringify(found));
  return found;
}

/** The archives of the commit, built in a clone without anything of this folder. */
async function makeArchives(clone: string): Promise<void> {
  const dirty = (await must('git', ['status', '--porcelain'])).stdout;
  if (dirty !== '') throw new Error(`the working tree has changes that are not committed:\n${dirty}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await step('clone', () => must('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]));
  await must('git', ['checkout', '--quiet', '--detach', commit], clone);
  const { changesets } = readNext(clone);
  if (changesets.length > 0 && !values.dry)
    throw new Error(`${changesets.length} changesets are left: npm run release:version, and commit`);
  const task = (...args: readonly string[]) => must(process.execPath, [join(clone, 'scripts/run.mjs'), ...args], clone);
  if (changesets.length > 0) await step('versions', () => task('release:version'));
  await step('install, build and pack', () => task('pack', join(folder, 'archives')));
}

async function checkArchives(clone: string, publications: readonly Publication[]): Promise<void> {
  const { breaks } = readApiChanges(clone);
  if (breaks.length > 0) throw new Error(breaks.join('\n'));
  await step('gates on the archives', async () => {
    const findings = await mapConcurrently(publications, 2, ({ archive }) => checkArchive(archive));
    if (findings.flat().length > 0) throw new Error(findings.flat().join('\n'));
  });
  await step('bill of materials', () =>
    must(process.execPath, [
      join(clone, 'scripts/pnpm.mjs'),
      ...['sbom', '--sbom-format', 'cyclonedx', '--lockfile-only', '--out', join(folder, 'sbom.cdx.json')],
    ]),
  );
}

async function tryProjects(publications: readonly Publication[]): Promise<void> {
  const storage = join(folder, 'registry');
  await step('archives of others', () => storeOthers(storage));
  const { url, stop } = await startRegistry(storage);
  // Metadata of an earlier run names the port of its registry.
  rmSync(join(folder, 'projects', 'home-yarn', 'yarn', 'metadata'), { recursive: true, force: true });
  try {
    await step('publish to loopback', () => publishAll(publications, url, npmPublisher(url, anyToken(url), folder)));
    const failed: string[] = [];
    await mapConcurrently(cells(), 2, async ({ template, manager, isWhole }) => {
      const place = join(folder, 'projects', `${template}-${manager}`);
      // One cache for each manager, as on the machine of a user.
      const home = join(folder, 'projects', `home-${manager}`);
      const name = `${template} with ${manager}`;
      rmSync(place, { recursive: true, force: true });
      const tried = smoke({ template, manager, isWhole }, { place, home }, url);
      await step(name, () => tried).catch(() => failed.push(name));
      rmSync(place, { recursive: true, force: true });
    });
    if (failed.length > 0) throw new Error(`these do not hold: ${failed.join(', ')}`);
  } finally {
    await stop();
  }
}

/** Every kind with every package manager. `check` of a project is the same with each: the first runs it for all kinds, others for one kind. */
function cells(): readonly Smoke[] {
  const managers = APPLICATION_MANAGERS.filter((one) => values.managers.split(',').includes(one));
  const templates = values.templates.split(',');
  return templates.flatMap((template) =>
    managers.map((manager) => ({
      ...{ template, manager },
      isWhole: !isQuick && (manager === managers[0] || template === templates[0]),
    })),
  );
}

function readPassed(): Passed {
  const found = JSON.parse(readFileSync(passed, 'utf8')) as Passed;
  if (integritiesOf(found.publications).join() === found.integrities.join()) return found;
  throw new Error(`the archives of ${folder} are not those that were checked: remove the folder`);
}

function integritiesOf(publications: readonly Publication[]): readonly string[] {
  return publications.map(({ archive }) => integrityOf(readFileSync(archive)));
}

async function must(command: string, args: readonly string[], cwd = ROOT) {
  const result = await run(command, args, cwd);
  if (result.status === 0) return result;
  throw new Error(`${command} ${args.join(' ')} ended with ${result.status}\n${result.output}`);
}

async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  const started = Date.now();
  try {
    const result = await act();
    const note = typeof result === 'string' ? `: ${result}` : '';
    process.stdout.write(`ok      ${name}${note}, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    process.stdout.write(`FAILED  ${name}\n${(error as Error).message}\n`);
    throw error;
  }
}
