import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { membersOf } from '@sallyport/core/internal';
import type { DeployedFunction } from '../deployed/deployed.js';
import { joinFunctions } from '../deployed/join.js';
import { readManifestFunctions } from '../deployed/manifest.js';
import { assertNode, functionOf, readDeployment } from '../deployed/read.js';
import type { Config, Deployed } from './config.js';
import { readManifest } from './manifest.js';

type Place = Pick<Config, 'template' | 'manifest' | 'folder' | 'entry'>;

/**
 * The deployed function of an entry: of the template or plan if one is named, else of the manifest; `undefined` without such a file,
 * or if no function of the manifest has this entry.
 *
 * @throws FrameworkError `local.usage` for a file that is invalid, for a template without this function, and for a runtime that is not Node.js
 */
export function deployedFunction(place: Place): Deployed | undefined {
  const { template, manifest, folder, entry } = place;
  if (template !== undefined) {
    const deployment = readDeployment(template, folder);
    return { file: deployment.file, fn: functionOf(deployment, { folder, entry }) };
  }
  if (manifest === undefined || readManifest(place) === undefined) return undefined;
  const functions = readManifestFunctions(membersOf(JSON.parse(readFileSync(manifest, 'utf8'))));
  const [own, ...others] = functions.filter(({ entries }) => entries.includes(relative(folder, entry)));
  const fn = own ? joinFunctions([own, ...others]) : functions.length === 1 ? functions[0] : undefined;
  const file = relative(folder, manifest);
  if (fn) assertNode(file, fn);
  return fn && { file, fn, ...(others.length > 0 && { notices: [joinedNotice(file, [own, ...others])] }) };
}

function joinedNotice(file: string, functions: readonly (DeployedFunction | undefined)[]): string {
  const names = functions.map((one) => one?.name).join(', ');
  return `${file}: ${names} have this entry: one function has the sources and routes of all of them, and their longest timeout; --all runs each of them`;
}

/** The audiences that the JWT authorizers of the deployed API accept. */
export function audiencesOf(deployed: Deployed | undefined): readonly string[] {
  const authorizers = deployed?.fn.doors.flatMap(({ jwt = {} }) => Object.values(jwt)) ?? [];
  return [...new Set(authorizers.flatMap(({ audience }) => audience))];
}
