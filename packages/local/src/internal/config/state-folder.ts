import { join } from 'node:path';

/** Where a project's run keeps its files. */
export const stateFolderOf = (project: string): string => join(project, '.sallyport');
