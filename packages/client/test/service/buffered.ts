import { app } from './lambda.js';

export const handler = app.handleLambda;
