import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { joinDoors, joinSources } from '../deployed/join.js';
import { isNode, readDeployment } from '../deployed/read.js';
import { usageError } from '../errors.js';
import type { Config, Fleet, FleetFunction } from './config.js';

/**
 * Reads all functions of a template, plan or manifest whose runtime is Node.js and whose entry file exists.
 *
 * @throws FrameworkError `local.usage` if there is no such file or function
 */
export function readFleet({ template, manifest, folder }: Pick<Config, 'template' | 'manifest' | 'folder'>): Fleet {
  const path = template ?? manifest;
  if (path === undefined)
    throw usageError(
      '--all needs the functions of a project: pass --template, or write cdk.out/sallyport.json with cdk synth',
    );
  const { file, functions } = readDeployment(path, folder);
  const notices: string[] = [];
  const names = new Set<string>();
  const started = functions.flatMap((deployed): FleetFunction[] => {
    const { runtime, entries, name } = deployed;
    const entry = entries.map((one) => (isAbsolute(one) ? one : join(folder, one))).find((one) => existsSync(one));
    if (runtime !== undefined && !isNode(runtime)) {
      notices.push(`${file}: ${name} is not started: its runtime is ${runtime}, and sallyport dev runs only Node.js`);
      return [];
    }
    if (entry === undefined) {
      const wanted = entries[0] === undefined ? 'the file states no entry' : `${entries[0]} does not exist`;
      notices.push(`${file}: ${name} is not started: ${wanted}`);
      return [];
    }
    return [{ name: uniqueName(name, names), entry, deployed }];
  });
  if (started.length === 0) {
    throw usageError(
      `${file} has no function that can be started${notices.length === 0 ? '' : `: ${notices.join('; ')}`}`,
    );
  }
  const all = started.map(({ deployed }) => deployed);
  return {
    functions: started,
    deployed: { file, fn: { name: 'all', entries: [], sources: joinSources(all), doors: joinDoors(all) } },
    notices: [...notices, ...conflicts(file, started)],
  };
}

/** The last part of a path or address, with a number if it is taken. */
function uniqueName(name: string, taken: Set<string>): string {
  const begin = (name.split(/[/.]/).pop() ?? '').replaceAll(/[^\w-]/g, '-').slice(0, 60) || 'function';
  let unique = begin;
  for (let number = 2; taken.has(unique); number += 1) unique = `${begin}-${number}`;
  taken.add(unique);
  return unique;
}

/** Routes that two functions have: on AWS they are in two APIs, here they share one address. */
function conflicts(file: string, functions: readonly FleetFunction[]): readonly string[] {
  const owners = new Map<string, string>();
  return functions.flatMap(({ name, deployed }) =>
    deployed.doors.flatMap(({ kind, routes }) =>
      routes.flatMap((route) => {
        const key = `${kind} ${route}`;
        const owner = owners.get(key);
        if (owner === undefined || owner === name) {
          owners.set(key, name);
          return [];
        }
        return `${file}: the route ${route} is in the functions ${owner} and ${name}; requests reach ${owner}`;
      }),
    ),
  );
}
