import { type App } from "@sallyport/dispatch/app"
import { SecureApp } from "@sallyport/secure"
import { choosePosture } from "@sallyport/secure/migrate"
import { json, redirect } from "@sallyport/http"
import { register } from "./admin.js"
import { socket } from "./socket.js"

type Note = { id: string; text: string }
const notes = new Map<string, Note>()

export function createService(): App {
  const app = new SecureApp({ cors: { allowedOrigins: ["https://notes.example"] } })
  app.get("/", () => redirect("/notes"), choosePosture("GET /"))
  app.get("/notes", () => json(200, [...notes.values()]), choosePosture("GET /notes"))
  app.post("/notes", (ctx) => {
    const note = ctx.bodyJson() as Note
    notes.set(note.id, note)
    return json(201, note)
  }, choosePosture("POST /notes"))
  app.get(`/notes/{id}`, (ctx) => json(200, notes.get(ctx.param("id"))), choosePosture("GET /notes/{id}"), { streaming: false })
  app.appSyncField("Query", "note", () => ({ status: 200 }), choosePosture("Query.note"))
  app.webSocket("$connect", socket, choosePosture("$connect")).webSocket("$default", socket, choosePosture("$default"))
  app.eventBus({ source: "billing", detailType: "Paid" }, () => {})
  register(app)
  return app
}
