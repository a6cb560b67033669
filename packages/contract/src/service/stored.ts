import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fromJson, membersOf } from '@sallyport/core/internal';
import type { ServiceContract } from './contract.js';
import { contractError } from './described.js';
import { parseContractFile } from './parse.js';

/** The member of a template's metadata with the contract of its stack, compressed with gzip, in base64. */
export const CONTRACT_METADATA = 'sallyport:contract';

/** The largest contract that is read, in bytes. */
const MAX_BYTES = 64 << 20;

/** A contract, and where it was read. */
export interface StoredContract {
  /** The file. */
  readonly place: string;
  /** The contract. */
  readonly contract: ServiceContract;
}

/** The value for the metadata of a template. The level is fixed, and the header of Node has no time: equal contracts are equal. */
export const packContract = (text: string) => gzipSync(text, { level: 9 }).toString('base64');

/**
 * The JSON of the contract in a template of CloudFormation; `undefined` for a template without contract, and for other JSON.
 *
 * @param place the name of the template, for errors
 * @throws FrameworkError `app.invalid_configuration` for a contract that cannot be read
 */
export function contractInTemplate(template: string, place: string): string | undefined {
  const held = membersOf(membersOf(fromJson(template)).Metadata)[CONTRACT_METADATA];
  if (typeof held !== 'string') return undefined;
  try {
    return gunzipSync(Buffer.from(held, 'base64'), { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    throw contractError(`the contract in ${place} cannot be read`);
  }
}

/**
 * The contracts at a path: a file `contract.json`, a template of a stack, or a folder with such files, also a cloud assembly. Templates without
 * contract are left out; the list of a folder without contracts is empty.
 *
 * @throws FrameworkError `app.invalid_configuration` for a path that does not exist, and for a file that is not a contract
 */
export function readContracts(path: string, place: string): readonly StoredContract[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw contractError(`${place} does not exist`);
  if (!stats.isDirectory()) {
    const text = readFileSync(path, 'utf8');
    return [{ place, contract: parseContractFile(contractInTemplate(text, place) ?? text, place) }];
  }
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((name) => {
      const at = join(place, name);
      if (name.endsWith('contract.json')) return readContracts(join(path, name), at);
      if (!name.endsWith('.template.json')) return [];
      const text = contractInTemplate(readFileSync(join(path, name), 'utf8'), at);
      return text === undefined ? [] : [{ place: at, contract: parseContractFile(text, at) }];
    });
}
