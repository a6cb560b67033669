import { createService } from "./app.js"

export const handler = createService().handleLambda
