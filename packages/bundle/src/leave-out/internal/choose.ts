import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleWarning } from '../../bundle/warning.js';
import { inspectBundle } from '../../cache/internal/make-caches.js';
import type { MakerReport } from '../../cache/internal/run-maker.js';
import type { BundleInventory } from '../../cache/inventory.js';
import { bundleError } from '../../errors.js';
import { OPTIONAL_PARTS, type OptionalPart, unusedParts } from '../parts.js';

/** Settings with which an application is loaded to read its registrations. */
export interface Loading {
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The options that choose parts. */
interface Wish {
  readonly leaveOut: readonly (OptionalPart | 'unused')[];
  readonly tools: boolean;
}

/** The code for developers. */
const TOOLS: readonly OptionalPart[] = ['explain', 'openapi'];

/** The parts that a bundle leaves out, and the facts of the full bundle. */
export interface Choice {
  readonly parts: readonly OptionalPart[];
  /** True if a part is named in `leaveOut`: a bundle that does not load without it is an error. */
  readonly isExplicit: boolean;
  /** The reason why `unused` leaves nothing out. */
  readonly warning?: BundleWarning | undefined;
  readonly inventory?: BundleInventory;
  readonly openapi?: unknown;
  /** The description of the loaded application; `undefined` if nothing was loaded. */
  readonly report?: MakerReport | undefined;
}

/**
 * Chooses the parts to leave out, from the registrations of the full bundle.
 *
 * @param file the name of the bundle's file in its folder
 */
export function chooseParts(folder: string, file: string, { leaveOut, tools }: Wish, loading: Loading): Choice {
  const explicit = leaveOut.filter((part) => part !== 'unused');
  const named: readonly OptionalPart[] = tools ? explicit : [...explicit, ...TOOLS];
  const { inventory, openapi, warning, report } = readRegistrations(folder, file, loading);
  const uses = inventory?.uses;
  const unused = leaveOut.includes('unused') && uses ? unusedParts(uses) : [];
  return {
    parts: OPTIONAL_PARTS.filter((part) => named.includes(part) || unused.includes(part)),
    isExplicit: explicit.length > 0,
    warning: leaveOut.includes('unused') ? warning : undefined,
    report,
    ...(inventory && { inventory }),
    ...(openapi !== undefined && { openapi }),
  };
}

/** The key of a container's description; a bundle without it has no handler of the framework. */
const INSPECT = 'framework.inspect';

const NOT_A_CONTAINER: BundleWarning = {
  code: 'not_a_container',
  reason: 'only the handlers of createApp and SecureApp describe the parts that they use',
};

function nothingLeftOut(reason: string): BundleWarning {
  return { code: 'nothing_left_out', reason };
}

interface Registrations {
  readonly inventory?: BundleInventory;
  readonly openapi?: unknown;
  readonly warning: BundleWarning | undefined;
  readonly report?: MakerReport;
}

function readRegistrations(folder: string, file: string, { handler, environment }: Loading): Registrations {
  const code = readdirSync(folder).filter((name) => /\.m?js$/.test(name));
  if (!code.some((name) => readFileSync(join(folder, name), 'utf8').includes(INSPECT))) {
    return { warning: NOT_A_CONTAINER };
  }
  // Registrations can depend on variables that are only known in the function.
  const report = inspectBundle(folder, file, { handler, environment, placeholders: 'missing', describes: 'also' });
  const { error, inventory, openapi, withPlaceholders } = report;
  if (error !== undefined) {
    return { warning: nothingLeftOut(`the application does not load in the build: ${error}`), report };
  }
  const found = { report, openapi, ...(inventory && { inventory }) };
  if (inventory?.uses === undefined) return { ...found, warning: NOT_A_CONTAINER };
  const uses = [...new Set([...inventory.uses, ...(withPlaceholders?.uses ?? [])])];
  return { ...found, inventory: { ...inventory, uses }, warning: undefined };
}

/**
 * Compares the registrations of a bundle without parts with the registrations of the full bundle.
 *
 * @returns the reason why the bundle cannot be used, for parts that no option names
 * @throws FrameworkError `bundle.left_out` for other registrations, and if it does not load without a named part
 */
export function compareRegistrations(
  folder: string,
  file: string,
  { parts, isExplicit, inventory, report }: Choice,
  { handler, environment }: Loading,
): BundleWarning | undefined {
  if (inventory === undefined) return undefined;
  const placeholders = report?.onlyWithPlaceholders ? { placeholders: 'all' as const } : {};
  const found = inspectBundle(folder, file, { handler, environment, ...placeholders });
  const without = `without ${parts.join(', ')}`;
  if (found.error !== undefined) {
    const reason = `the application does not load ${without}: ${found.error}`;
    if (!isExplicit) return nothingLeftOut(reason);
    throw leftOutError(reason);
  }
  const difference = differenceOf(inventory, found);
  if (difference !== undefined) throw leftOutError(`the application registers otherwise ${without}: ${difference}`);
  return undefined;
}

function leftOutError(problem: string) {
  return bundleError('bundle.left_out', `framework: bundleFunction: ${problem}; remove the part from leaveOut`);
}

/** The first registration that only one of the two bundles has. */
function differenceOf(full: BundleInventory, { inventory: found }: MakerReport): string | undefined {
  for (const list of ['routes', 'triggers'] as const) {
    const [before, after] = [full, found].map((one) => (one?.[list] ?? []).map((entry) => JSON.stringify(entry)));
    const missing = before?.find((entry) => !after?.includes(entry));
    if (missing !== undefined) return `${missing} is missing`;
    const surplus = after?.find((entry) => !before?.includes(entry));
    if (surplus !== undefined) return `${surplus} is only registered there`;
  }
  return undefined;
}
