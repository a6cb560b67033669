import { localError } from '../errors.js';
import { SERVICES } from '../services/list.js';
import type { LocalService, ServiceView } from '../services/service.js';
import type { State } from '../state/state.js';
import type { ServiceData, StoreItems } from './api.js';

/** The services whose data the console shows. */
const VIEWS: readonly (readonly [service: string, view: ServiceView])[] = SERVICES.flatMap(
  ({ name, view }: LocalService): readonly (readonly [string, ServiceView])[] => (view ? [[name, view]] : []),
);

/** The tables, buckets and so on of a run. The list of a service whose data cannot be read is empty: the state of the run has the reason. */
export function listData(state: Pick<State, 'get'>): Promise<readonly ServiceData[]> {
  return Promise.all(
    VIEWS.map(async ([service, view]) => {
      const { title, one, columns = [] } = view;
      return { service, title, one, columns, stores: await view.list(state).catch(() => []) };
    }),
  );
}

/** One page of items. @throws FrameworkError `local.not_found` for an unknown service */
export function readStore(
  state: Pick<State, 'get'>,
  service = '',
  name = '',
  start: string | undefined = undefined,
): Promise<StoreItems> {
  const view = VIEWS.find(([one]) => one === service)?.[1];
  if (!view) throw localError('local.not_found', `framework: the service ${JSON.stringify(service)} has no data`);
  return view.items(state, name, start);
}
