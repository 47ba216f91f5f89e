package site

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"ams.internal/docs"
)

// article is a document of the repository as the site shows it.
type article struct {
	title    string // its first heading
	body     []byte // HTML without that heading
	headings []heading
	sections []section
}

// heading is one of the second or third level.
type heading struct {
	ID, Text string
	Level    int
}

// section is what stands under a heading, as words: what the search looks through.
type section struct{ id, title, words string }

// read makes an article of Markdown. link says where a link of the document leads on the site; empty: nowhere, it is left out and its
// words stay. In code, the base URL of the examples is that of this installation. A translation has the headings of its original, with the
// same ids: a link to a section leads there in every language.
func read(source []byte, baseURL string, link func(string) string, original *article) (article, error) {
	source = bytes.ReplaceAll(source, []byte("https://api.example.ca"), []byte(baseURL))
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&pieces{source: source}, 100))))
	tree := markdown.Parser().Parse(text.NewReader(source))
	a := article{sections: []section{{}}}
	if first, isHeading := tree.FirstChild().(*ast.Heading); isHeading && first.Level == 1 {
		a.title = words(first, source)
		tree.RemoveChild(tree, first)
	}
	relink(tree, link)
	for block := tree.FirstChild(); block != nil; block = block.NextSibling() {
		found, isHeading := block.(*ast.Heading)
		if !isHeading {
			last := &a.sections[len(a.sections)-1]
			last.words += words(block, source) + " "
			continue
		}
		if n := len(a.headings); original != nil && n < len(original.headings) {
			found.SetAttributeString("id", []byte(original.headings[n].ID))
		}
		id, _ := found.AttributeString("id")
		h := heading{ID: string(id.([]byte)), Text: words(found, source), Level: found.Level}
		a.headings, a.sections = append(a.headings, h), append(a.sections, section{id: h.ID, title: h.Text})
	}
	if original != nil && len(a.headings) != len(original.headings) {
		return article{}, fmt.Errorf("there are %d headings, and %d in the original", len(a.headings), len(original.headings))
	}
	var body bytes.Buffer
	err := markdown.Renderer().Render(&body, source, tree)
	a.body = body.Bytes()
	return a, err
}

// words is the text inside a node.
func words(node ast.Node, source []byte) string {
	var all strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker has no error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				all.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					all.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				all.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				all.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(all.String())
}

// relink puts the site's addresses into links. A link that leads nowhere on the site becomes its words.
func relink(tree ast.Node, link func(string) string) {
	var links []*ast.Link
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if found, isLink := n.(*ast.Link); isLink && entering {
			links = append(links, found)
		}
		return ast.WalkContinue, nil
	})
	for _, found := range links {
		if to := link(string(found.Destination)); to != "" {
			found.Destination = []byte(to)
			continue
		}
		parent := found.Parent()
		for child := found.FirstChild(); child != nil; child = found.FirstChild() {
			parent.InsertBefore(parent, found, child)
		}
		parent.RemoveChild(parent, found)
	}
}

// linker gives the links of a document at a path of the repository.
func linker(document string, addresses map[string]string) func(string) string {
	return func(link string) string {
		if strings.Contains(link, "://") || strings.HasPrefix(link, "/") || strings.HasPrefix(link, "#") {
			return link
		}
		file, fragment, _ := strings.Cut(link, "#")
		address := addresses[path.Join(path.Dir(document), file)]
		if address != "" && fragment != "" {
			address += "#" + fragment
		}
		return address
	}
}

// pieces renders what the site has of its own: samples in several languages, code and tables that may be wider than the window.
type pieces struct {
	source []byte
	groups int
}

// RegisterFuncs implements renderer.NodeRenderer.
func (p *pieces) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindFencedCodeBlock, p.code)
	register.Register(extensionast.KindTable, p.table)
	register.Register(extensionast.KindTableHeader, p.header)
	register.Register(extensionast.KindTableCell, p.cell)
}

// languages are those of samples, in the order of their tabs.
var languages = []struct{ Code, Name string }{{"sh", "curl"}, {"ts", "TypeScript"}, {"python", "Python"}, {"go", "Go"}}

// sampleLink stands in a translation where the original has the samples of a name, in a line of its own: [words](paging.md "all-pages"). On
// a forge it leads to the original.
var sampleLink = regexp.MustCompile(`(?m)^\[[^\]\n]+\]\(([a-z-]+\.md) "([a-z0-9-]+)"\)$`)

// withSamples puts the samples of other documents where links to them stand: code is written once.
func withSamples(source []byte, document string) (all []byte, err error) {
	all = sampleLink.ReplaceAllFunc(source, func(link []byte) []byte {
		parts := sampleLink.FindSubmatch(link)
		original, failed := docs.Files.ReadFile(path.Join(path.Dir(document), string(parts[1])))
		named := regexp.MustCompile("(?ms)^```[a-z]+ " + string(parts[2]) + "\n.*?^```$")
		samples := named.FindAll(original, -1)
		if failed == nil && samples == nil {
			failed = fmt.Errorf("%s has no sample %s", parts[1], parts[2])
		}
		err = errors.Join(err, failed)
		return bytes.Join(samples, []byte("\n\n"))
	})
	return all, err
}

// sampleOf is the language and the name of a sample: "ts create-asset". Code without a name is no sample.
func sampleOf(node ast.Node, source []byte) (language, name string) {
	block, isCode := node.(*ast.FencedCodeBlock)
	if !isCode || block.Info == nil {
		return "", ""
	}
	language, name, _ = strings.Cut(string(block.Info.Segment.Value(source)), " ")
	return language, strings.TrimSpace(name)
}

// code writes a block of code. Samples of one name that follow each other are tabs, which need no script: each has a radio button.
func (p *pieces) code(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language, name := sampleOf(node, p.source)
	if name == "" {
		writeCode(w, node.Lines().Value(p.source), "")
		return ast.WalkSkipChildren, nil
	}
	if _, before := sampleOf(node.PreviousSibling(), p.source); before != name {
		p.open(w, node, name)
	}
	label := language
	for _, known := range languages {
		if known.Code == language {
			label = known.Name
		}
	}
	fmt.Fprintf(w, `<div class="sample sample-%s"><p class="sample-name" aria-hidden="true">%s</p>`, language, label)
	writeCode(w, node.Lines().Value(p.source), fmt.Sprintf(` data-sample="%s" data-language="%s"`, html.EscapeString(name), language))
	_, _ = w.WriteString("</div>\n")
	if _, after := sampleOf(node.NextSibling(), p.source); after != name {
		_, _ = w.WriteString("</div>\n")
	}
	return ast.WalkSkipChildren, nil
}

// open begins a group of samples with its tabs.
func (p *pieces) open(w util.BufWriter, first ast.Node, name string) {
	p.groups++
	present := map[string]bool{}
	for node := first; node != nil; node = node.NextSibling() {
		language, its := sampleOf(node, p.source)
		if its != name {
			break
		}
		present[language] = true
	}
	fmt.Fprintf(w, `<div class="samples" role="group" aria-label="%s">`, html.EscapeString(name))
	checked := " checked"
	for _, language := range languages {
		if present[language.Code] {
			fmt.Fprintf(w,
				`<input type="radio" name="sample-%d" id="sample-%d-%s" class="choose-%s" value="%s"%s><label for="sample-%d-%s">%s</label>`,
				p.groups, p.groups, language.Code, language.Code, language.Code, checked, p.groups, language.Code, language.Name)
			checked = ""
		}
	}
	_ = w.WriteByte('\n')
}

func writeCode(w util.BufWriter, code []byte, attributes string) {
	fmt.Fprintf(w, `<pre tabindex="0"%s><code>%s</code></pre>`+"\n", attributes, html.EscapeString(string(code)))
}

func (p *pieces) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<div class="wide" tabindex="0"><table>` + "\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// header leaves out a row of headings that says nothing: Markdown has no tables without one.
func (p *pieces) header(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	silent := words(node, p.source) == ""
	switch {
	case entering && silent:
		return ast.WalkSkipChildren, nil
	case entering:
		_, _ = w.WriteString("<thead><tr>")
	case silent:
		_, _ = w.WriteString("<tbody>\n")
	default:
		_, _ = w.WriteString("</tr></thead>\n<tbody>\n")
	}
	return ast.WalkContinue, nil
}

func (p *pieces) cell(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "td"
	if node.Parent().Kind() == extensionast.KindTableHeader && words(node, p.source) != "" {
		tag = `th`
	}
	if entering && tag == "th" {
		_, _ = w.WriteString(`<th scope="col">`)
	} else if entering {
		_, _ = w.WriteString("<td>")
	} else {
		fmt.Fprintf(w, "</%s>", tag)
	}
	return ast.WalkContinue, nil
}
