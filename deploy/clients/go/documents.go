package ams

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
)

// Upload makes a document with its file, which is held in memory; "amsctl documents upload" and the tus protocol are for large ones.
// A document without a title has the file's name.
func (d Documents) Upload(ctx context.Context, document DocumentPatch, fileName string, content []byte) (*Document, error) {
	description, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("document", string(description)); err != nil {
		return nil, err
	}
	file, err := form.CreateFormFile("file", fileName)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	return d.one(ctx, Request{Method: http.MethodPost, Path: d.path, Body: body.Bytes(), Header: http.Header{"Content-Type": {form.FormDataContentType()}}})
}

// Content gives the response whose body is the file of a document's latest revision, to be read and closed.
func (d Documents) Content(ctx context.Context, id string) (*http.Response, error) {
	return d.client.Open(ctx, Request{Path: below(d.path, id, "content"), Accept: "*/*"})
}
