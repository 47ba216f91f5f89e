// Sends FILE with tus-js-client to ENDPOINT, and goes on with the upload whose path is in STATE, if there is one. Prints how much was sent, and
// at the end the document's id.
import { existsSync, readFileSync, statSync, writeFileSync, createReadStream } from "node:fs"
import { Upload } from "tus-js-client"

const { ENDPOINT, KEY, FILE, STATE, RECORD, CHUNK } = process.env
const upload = new Upload(createReadStream(FILE), {
  endpoint: ENDPOINT,
  uploadUrl: existsSync(STATE) ? new URL(readFileSync(STATE, "utf8"), ENDPOINT).href : null,
  uploadSize: statSync(FILE).size,
  chunkSize: Number(CHUNK),
  retryDelays: [0, 1000, 2000, 4000, 8000, 8000, 8000],
  headers: { Authorization: `Bearer ${KEY}` },
  metadata: {
    document: JSON.stringify({ collection: "sites", record_id: RECORD, title: "Visite" }),
    filename: "visite.txt",
  },
  onUploadUrlAvailable: () => writeFileSync(STATE, new URL(upload.url).pathname),
  onProgress: (sent) => console.log(`sent ${sent}`),
  onAfterResponse: (request, response) => console.log(`${request.getMethod()} ${response.getStatus()} ${response.getHeader("Upload-Offset") ?? ""}`),
  onSuccess: ({ lastResponse }) => console.log(`document ${lastResponse.getHeader("Document-Id")}`),
  onError: (error) => {
    console.error(String(error))
    process.exitCode = 1
  },
})
upload.start()
