export default {
  ams: { input: "openapi.json", output: { target: "generated/ams.ts", mode: "split", client: "fetch" } },
  zod: { input: "openapi.json", output: { target: "generated/ams.zod.ts", client: "zod" } },
};
