import { readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fromJson, isObject, type Members, membersOf } from '@sallyport/core/internal';
import { invalidUsage } from './errors.js';

/** A resource of a template. */
export interface Resource {
  /** The logical id. */
  readonly id: string;
  readonly type: string;
  readonly properties: Members;
  /** The logical ids to which its properties refer. */
  readonly refersTo: ReadonlySet<string>;
}

/** A CloudFormation template. */
export interface Template {
  /** The name of the stack, as the file names it: `Notes` for `Notes.template.json`. */
  readonly stack: string;
  readonly resources: readonly Resource[];
}

/**
 * The templates of a cloud assembly.
 *
 * @param files default: all templates in `cdk.out`
 * @throws FrameworkError `cli.usage` for a file that does not exist or is not a template in JSON
 */
export function readTemplates(cwd: string, files: readonly string[]): readonly Template[] {
  const named = files.length > 0 ? files : templatesIn(resolve(cwd, 'cdk.out'));
  return named.map((file) =>
    toTemplate(readJson(resolve(cwd, file)), basename(file).replace(/(?:\.template)?\.json$/, '')),
  );
}

/** @throws FrameworkError `cli.usage` */
export function toTemplate(document: unknown, stack: string): Template {
  const resources = membersOf(document).Resources;
  if (!isObject(resources)) throw invalidUsage(`${stack} is not a CloudFormation template in JSON: run cdk synth`);
  return { stack, resources: Object.entries(resources).map(([id, one]) => toResource(id, membersOf(one))) };
}

/** A JSON file; `undefined` if it does not exist. */
export function readJsonIfThere(path: string): unknown {
  try {
    return readJson(path);
  } catch {
    return undefined;
  }
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw invalidUsage(`the file ${path} does not exist`);
  }
  const document = fromJson(text);
  if (document === undefined) throw invalidUsage(`the file ${path} is not JSON`);
  return document;
}

function templatesIn(folder: string): readonly string[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.template.json'));
  } catch {}
  if (names.length === 0) throw invalidUsage(`${folder} has no templates: run cdk synth, or name a template`);
  return [...names].sort().map((name) => resolve(folder, name));
}

function toResource(id: string, { Type, Properties }: Members): Resource {
  const properties = membersOf(Properties);
  return { id, type: String(Type), properties, refersTo: referencesOf(properties) };
}

/** The logical ids in `Ref`, `Fn::GetAtt` and `Fn::Sub`. */
export function referencesOf(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const one of value) referencesOf(one, found);
  if (!isObject(value)) return found;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Sub': text } = value;
  if (typeof Ref === 'string' && !Ref.startsWith('AWS::')) found.add(Ref);
  const named =
    typeof attribute === 'string' ? attribute.split('.')[0] : Array.isArray(attribute) ? attribute[0] : undefined;
  if (typeof named === 'string') found.add(named);
  if (typeof text === 'string') for (const [, id = ''] of text.matchAll(/\$\{([A-Za-z0-9]+)[.}]/g)) found.add(id);
  for (const member of Object.values(value)) referencesOf(member, found);
  return found;
}
