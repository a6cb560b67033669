import { buildAPIGatewayV2Request, createTestEnv } from "@sallyport/testkit"
import { createService } from "../src/app.js"

const env = createTestEnv()
const app = createService()

export const answer = await env.invoke(app, buildAPIGatewayV2Request("GET", "/notes"))
