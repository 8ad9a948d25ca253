import { createMockApi } from "./api.ts";
import { ANSWERS } from "./data.ts";
import { serveMock, writeOnClock } from "./server.ts";

/** `npm run mock [language]`: the built widget in a shop page, without the platform. */
const language = process.argv[2] ?? "en";
const rightToLeft = language === "fa" || language === "ar";
const api = createMockApi({ language });
api.config.interface.orientation = rightToLeft ? "rtl" : "ltr";
api.answer = () => ANSWERS[rightToLeft ? "fa" : "en"];
api.onTurn = (thread) => writeOnClock(thread, 60);
const server = await serveMock(api, Number(process.env.PORT ?? 0));
console.info(`http://shop.localhost:${server.port}/`);
