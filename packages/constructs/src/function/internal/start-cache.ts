import type { StartCacheOptions } from '@sallyport/bundle';
import { Architecture, CfnAlias, CfnVersion } from 'aws-cdk-lib/aws-lambda';
import { Aspects, Token, Validations } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';

/** The props of a function that determine its start cache. */
interface Settings {
  readonly architecture: Architecture;
  readonly memorySize: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly handler: string;
  readonly snapStart: boolean;
  readonly computeProvider?: object | undefined;
}

/** The options of the cache for a function, or `false` with a warning if a cache would be of no use. */
export function startCacheOf(at: Construct, settings: Settings): StartCacheOptions | false {
  const { architecture, memorySize, environment, handler, snapStart, computeProvider } = settings;
  const useless = snapStart
    ? 'a snapshot starts with code that is loaded'
    : computeProvider
      ? 'Managed Instances load the code before their first request'
      : Token.isUnresolved(memorySize)
        ? 'memorySize is a token, and the flags of Node depend on its value'
        : undefined;
  if (useless !== undefined) {
    warn(at, `The function has no start cache: ${useless}. Remove startCache.`);
    return false;
  }
  const known = Object.entries(environment).filter(([, value]) => !Token.isUnresolved(value));
  return {
    inImage: true,
    memory: [memorySize],
    architecture: architecture.name === Architecture.X86_64.name ? 'x64' : 'arm64',
    environment: Object.fromEntries(known),
    handler: handler.split('.').at(-1) ?? 'handler',
  };
}

/** Warns about provisioned concurrency of an alias or a version of the function: its environments are initialized before a request arrives. */
export function warnOfProvisioned(at: Construct): void {
  Aspects.of(at).add({
    visit(node: IConstruct) {
      const isCopy = CfnAlias.isCfnAlias(node) || CfnVersion.isCfnVersion(node);
      if (!isCopy || node.provisionedConcurrencyConfig === undefined) return;
      warn(
        at,
        `The start cache gains nothing for ${node.node.path}: provisioned concurrency starts environments in advance.`,
      );
    },
  });
}

function warn(at: IConstruct, text: string): void {
  Validations.of(at).addWarning('Sallyport::NoStartCache', text);
}
