import { createNotesService } from './app.js';

export const handler = createNotesService().app.handleLambda;
