// Package console serves the console, the web application in this folder, from its built files in dist, which are part of the binary. It
// says how each file may be kept and what the page may do, also for those who serve the same files from elsewhere.
//
// It builds nothing, and knows nothing of the API that the page calls on its own origin.
package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// dist holds what the build made. Its tools name some files with a leading underscore, which are embedded by all: alone.
//
//go:embed all:dist
var dist embed.FS

const (
	// Page is the file that is at / as well.
	Page = "index.html"
	// Hashed is the folder of files whose names change with their content.
	Hashed = "assets/"

	folder = "dist"
)

// How long files may be kept without asking again. What keeps its name is asked for every time, and not sent again when it is the same.
const (
	forEver   = "public, max-age=31536000, immutable"
	askedFor  = "no-cache"
	tagLength = 16 // bytes
)

// contentTypes are those of all files, by the ends of their names. They are listed because what the system knows differs from machine to
// machine, and browsers refuse scripts of another type.
func contentTypes() map[string]string {
	return map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2",
		".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
	}
}

// File is one file of the console.
type File struct {
	// Name is its path below dist, with slashes.
	Name string
	// ContentType and CacheControl are what it is served with.
	ContentType, CacheControl string
	// Hashed is whether its name changes with its content.
	Hashed bool

	content []byte
	tag     string
}

// Files are all files of the console, by name. The error names a file of which no content type is known, or that is where none belongs.
func Files() ([]File, error) {
	built, err := fs.Sub(dist, folder)
	if err != nil {
		return nil, err
	}
	return read(built)
}

// read reads the files of a build. They are at the top or below assets, for all other addresses belong to the service.
func read(built fs.FS) ([]File, error) {
	types := contentTypes()
	var files []File
	err := fs.WalkDir(built, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f := File{Name: name, ContentType: types[path.Ext(name)], CacheControl: askedFor, Hashed: strings.HasPrefix(name, Hashed)}
		switch {
		case f.ContentType == "":
			return fmt.Errorf("console: %s: no content type is known of names that end in %q", name, path.Ext(name))
		case f.Hashed:
			f.CacheControl = forEver
		case strings.Contains(name, "/"):
			return fmt.Errorf("console: %s: want files at the top and below %s alone", name, Hashed)
		}
		if f.content, err = fs.ReadFile(built, name); err != nil {
			return err
		}
		sum := sha256.Sum256(f.content)
		f.tag = `"` + hex.EncodeToString(sum[:tagLength]) + `"`
		files = append(files, f)
		return nil
	})
	return files, err
}

// securityHeaders are what every file is served with. The page runs its own scripts alone and talks to its own origin alone. Wallets may
// open windows of their own, which must be able to answer the page, so those keep their opener. On AWS the distribution sends the same
// headers, and Strict-Transport-Security with them, which means nothing on a machine without certificates.
func securityHeaders() map[string]string {
	return map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
			"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"Cross-Origin-Opener-Policy": "same-origin-allow-popups",
		"Permissions-Policy": "accelerometer=(), camera=(), clipboard-read=(), display-capture=(), encrypted-media=(), geolocation=(), " +
			"gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), " +
			"publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()",
		"Referrer-Policy":        "no-referrer",
		"X-Content-Type-Options": "nosniff",
	}
}

// Handler answers GET and HEAD of the console's files, of the page at / too, and leaves everything else to another handler.
func Handler(otherwise http.Handler) (http.Handler, error) {
	files, err := Files()
	if err != nil {
		return nil, err
	}
	return serve(files, otherwise), nil
}

func serve(files []File, otherwise http.Handler) http.Handler {
	byPath, headers := make(map[string]*File, len(files)+1), securityHeaders()
	for i := range files {
		byPath["/"+files[i].Name] = &files[i]
		if files[i].Name == Page {
			byPath["/"] = &files[i]
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The path as it was sent: another spelling of it is another path, as it is to the service.
		f := byPath[r.URL.EscapedPath()]
		if f == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
			otherwise.ServeHTTP(w, r)
			return
		}
		header := w.Header()
		for name, value := range headers {
			header.Set(name, value)
		}
		header.Set("Content-Type", f.ContentType)
		header.Set("Cache-Control", f.CacheControl)
		header.Set("ETag", f.tag)
		http.ServeContent(w, r, f.Name, time.Time{}, bytes.NewReader(f.content))
	})
}
