import type { App } from "@sallyport/dispatch/app"

/** Registers what only the operators use. */
export function register(app: App): void {
  app.getStrict("/admin/stats", () => ({ status: 204 }))
  app.delete("/admin/notes", () => ({ status: 204 }))
}
