package ams

// Version is the library's; it goes out in the User-Agent. Its first number is that of the API (/v1).
const Version = "1.1.0"
