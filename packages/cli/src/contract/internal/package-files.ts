import { execFileSync } from 'node:child_process';
import {
  contractDigest,
  type ServiceContract,
  toAsyncApi,
  toMcp,
  toOpenApi,
  toTypes,
} from '@sallyport/contract/service';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { jsonText } from './files.js';
import { type Project, projectOf } from './service-contract.js';

/** The contents of the files of a contract by name, `contract.json` last: readers see a contract only after its documents. */
export type PackageFiles = ReadonlyMap<string, string>;

/** The facts in the `package.json` of a published contract. */
export interface PublishedFacts {
  /** The name of the package. */
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly stage?: string;
}

/** Names that npm accepts: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const PACKAGE_NAME = /^(?=.{1,214}$)(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;
/** A stage is a folder, a part of a key and a tag of npm. */
const STAGE = /^[a-z][a-z0-9-]{0,62}$/;
const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;

/** @throws FrameworkError `cli.usage` for a package name, version or stage that a registry would reject */
export function factsOf(contract: ServiceContract, cwd: string, line: CommandLine): PublishedFacts {
  const project = projectOf(cwd, line);
  const name = line.text('package') ?? `${project.name}-contract`;
  const stage = line.text('stage');
  const checks = [
    [PACKAGE_NAME.test(name), `${name} is not a name of a package: pass --package orders-contract`],
    [VERSION.test(project.version), `package.json has the version ${project.version}, which is not of the form 1.2.3`],
    [stage === undefined || STAGE.test(stage), `--stage must be lower-case letters, digits and - (got "${stage}")`],
  ] as const;
  const wrong = checks.find(([holds]) => !holds);
  if (wrong) throw invalidUsage(wrong[1]);
  return { name, version: project.version, digest: contractDigest(contract), ...(stage !== undefined && { stage }) };
}

/** The files of the package of a contract: types, documents, and the facts about their origin. Equal contracts of a commit have equal files. */
export function packageFiles(
  contract: ServiceContract,
  facts: PublishedFacts,
  cwd: string,
  line: CommandLine,
): PackageFiles {
  const { name, version, digest, stage } = facts;
  const [commit, owner] = [line.text('commit') ?? headOf(cwd), line.text('owner')];
  const described: Project = { name: contract.service, version };
  const manifest = {
    name,
    version,
    description: `The contract of ${contract.service}: documents and types`,
    type: 'module',
    exports: {
      '.': { types: './contract.d.ts', default: './digest.js' },
      './digest': { types: './digest.d.ts', default: './digest.js' },
      './*.json': './*.json',
    },
    files: ['*.json', '*.d.ts', 'digest.js'],
    sallyport: {
      service: contract.service,
      digest,
      ...(commit !== undefined && { commit }),
      ...(stage !== undefined && { stage }),
      ...(owner !== undefined && { owner }),
    },
  };
  return new Map([
    ['package.json', jsonText(manifest)],
    ['openapi.json', jsonText(toOpenApi(contract, described))],
    ['asyncapi.json', jsonText(toAsyncApi(contract, described))],
    ['mcp.json', jsonText(toMcp(contract))],
    ['contract.d.ts', toTypes(contract)],
    ['digest.d.ts', '/** The digest of the contract, for `x-contract`. */\nexport declare const contract: string;\n'],
    ['digest.js', `export const contract = '${digest}';\n`],
    ['contract.json', jsonText(contract)],
  ]);
}

/** Milliseconds for `git rev-parse`. */
const GIT_MS = 10_000;

/** The commit of the working folder; `undefined` outside git. */
function headOf(cwd: string): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8', stdio, timeout: GIT_MS }).trim();
  } catch {
    return undefined;
  }
}
