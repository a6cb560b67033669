import { type Core, lazily } from '../../server/internal/core.js';

import type { Task } from './task.js';

/** The feed of changes. */
const loadLive = lazily(() => import('../../run/internal/live.js'));

/** Tells listeners that a task changed, where the server has change notifications. */
export async function tellOfTask(core: Core, { id, tenantId }: Pick<Task, 'id' | 'tenantId'>): Promise<void> {
  if (!core.settings.changes) return;
  const { publishChange } = await loadLive();
  await publishChange(core, { task: id }, tenantId);
}
