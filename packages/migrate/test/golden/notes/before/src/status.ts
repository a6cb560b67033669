import { createApp } from "@sallyport/dispatch/app"

const options = { tier: "p0" } as const
/** Its options are elsewhere: it stays open until somebody looks at it. */
export const status = createApp(options)
status.get("/status", () => ({ status: 204 }))
