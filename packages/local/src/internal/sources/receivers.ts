import type { Config, SourcesConfig } from '../config/config.js';
import type { ReceiversOf } from './receiver.js';
import { readSourceSettings } from './settings.js';
import { findType } from './source-types.js';

/** Finds the functions of a run that have a source. @throws FrameworkError `local.usage` as {@link readSourceSettings} */
export function createReceivers(config: Config, shared: SourcesConfig): ReceiversOf {
  const functions = (config.fleet?.functions ?? []).map(({ name, deployed }) => ({
    name,
    sources: new Set(deployed.sources.map((source) => `${source.kind} ${source.name ?? 'default'}`)),
    settings: readSourceSettings({ ...config, deployed: { file: '', fn: deployed } }),
  }));
  return (kind, name) => {
    const settingsIn = (all: SourcesConfig): object => {
      const named = all[findType(kind)?.config?.member ?? ''];
      return named && Object.hasOwn(named, name) ? (named[name] as object) : {};
    };
    const own = functions.filter(({ sources }) => sources.has(`${kind} ${name}`));
    if (own.length === 0) return [{ function: undefined, settings: settingsIn(shared) }];
    return own.map((one) => ({ function: one.name, settings: settingsIn(one.settings) }));
  };
}
