import { type App, createApp } from "@sallyport/dispatch/app"
import { json, redirect } from "@sallyport/http"
import { register } from "./admin.js"
import { socket } from "./socket.js"

type Note = { id: string; text: string }
const notes = new Map<string, Note>()

export function createService(): App {
  const app = createApp({ cors: { allowedOrigins: ["https://notes.example"] } })
  app.get("/", () => redirect("/notes"))
  app.get("/notes", () => json(200, [...notes.values()]))
  app.post("/notes", (ctx) => {
    const note = ctx.bodyJson() as Note
    notes.set(note.id, note)
    return json(201, note)
  })
  app.get(`/notes/{id}`, (ctx) => json(200, notes.get(ctx.param("id"))), { streaming: false })
  app.appSyncField("Query", "note", () => ({ status: 200 }))
  app.webSocket("$connect", socket).webSocket("$default", socket)
  app.eventBus({ source: "billing", detailType: "Paid" }, () => {})
  register(app)
  return app
}
