import { places } from '../observer.js';

/** Hooks of the SDK that pass each step function to the observer of its invocation. */
class ObserverPlugin {
  async onOperationStart({ id }: { readonly id: string }): Promise<void> {
    places.getStore()?.observer.operation(id);
  }

  async onOperationEnd({ id }: { readonly id: string }): Promise<void> {
    places.getStore()?.observer.operation(id);
  }

  wrapOperationAttemptFn(
    info: { readonly id: string; readonly name?: string; readonly attempt: number },
    run: () => unknown,
  ): unknown {
    const place = places.getStore();
    if (!place) return run();
    const { observer } = place;
    return observer.body(info, () => places.run({ observer, isStep: true }, run));
  }
}

/** The name and shape that the SDK expects of a module in `DURABLE_EXECUTION_PLUGINS`. */
export const durableExecutionPluginProvider = {
  pluginApiVersion: 1,
  pluginType: ObserverPlugin,
  createPlugin: () => new ObserverPlugin(),
} as const;
